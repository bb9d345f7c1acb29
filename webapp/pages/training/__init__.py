"""`/steps/training/ALGORITHM`: how a vocabulary is trained on a short corpus, round by round."""

from webapp.pages.training.routes import blueprint
