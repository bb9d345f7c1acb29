"""Stores shared results as snapshots and restores them, for the pages and the API."""
