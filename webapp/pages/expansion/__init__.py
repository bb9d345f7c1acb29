"""`/vocabularies/expand`: a vocabulary with pieces added, what that saves, and its files."""

from webapp.pages.expansion.routes import blueprint
