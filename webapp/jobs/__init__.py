"""Trainings that run outside of requests: a table of jobs, a queue, workers and their child processes."""
