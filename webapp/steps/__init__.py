"""`/steps`: every decision of an algorithm on a short text, one at a time."""

from webapp.steps.routes import blueprint
from webapp.steps.training import blueprint as training

blueprint.register_blueprint(training)

__all__ = ["blueprint"]
