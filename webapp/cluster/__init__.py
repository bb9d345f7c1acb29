"""Counting the words of a corpus that is too large for one process, with Dask.

`sources`       finds the files of a corpus, by fsspec, opens them, and divides them into parts for tasks
`runs`          sorted runs of word counts: written, read and merged chunk by chunk
`counting`      the tasks that count and merge, and the sum of their results
`stored_counts` that sum on disk, in the order in which trainers read it
`workers`       processes of this machine, or a cluster

`counting` and `workers` need the extra `cluster`.
"""
