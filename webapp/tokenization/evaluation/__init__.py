"""Evaluates segmentations: what a form or the API asks for, scored against a gold text, as a report."""
