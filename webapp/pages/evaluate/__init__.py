"""`/evaluate`: segmentations scored against a gold text: precision, recall, F1, and their errors in context."""

from webapp.pages.evaluate.routes import blueprint
