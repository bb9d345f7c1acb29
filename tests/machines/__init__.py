"""Several machines that share one PostgreSQL, one Redis and the folder of corpora."""
