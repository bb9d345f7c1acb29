"""Counting the words of a corpus that is too large for one process, with Dask."""
