"""`/measures`: the definitions of measures of tokenizers, and their values for a text and up to six tokenizers."""

from webapp.pages.measures.routes import blueprint
