"""`/steps`: every decision of an algorithm on a short text, one step at a time."""

from webapp.pages.steps.routes import blueprint
