"""The migrations of the database, one module for each in `versions`."""
