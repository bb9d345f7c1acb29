"""`/languages`: how many tokens one passage needs in each of many languages, with the same tokenizers."""

from webapp.pages.languages.routes import blueprint
