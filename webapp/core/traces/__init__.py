"""The decisions of each algorithm, step by step, as plain values; rendering lives in `pages/steps`."""
