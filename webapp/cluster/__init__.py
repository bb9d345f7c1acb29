"""Counting the words of a corpus that is too large for one process, with Dask.

`sources`    finds the files of a corpus, by fsspec, and opens them
`parts`      divides a corpus into parts for tasks
`tasks`      what a worker does: count a part, merge runs
`runs`       sorted runs of word counts: written, read and merged chunk by chunk
`counting`   all tasks of a corpus, and the sum of their results
`workers`    processes of this machine, or a cluster

`counting` and `workers` need the extra `cluster`.
"""
