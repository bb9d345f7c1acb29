"""The steps, each with its revision and the one before it."""
