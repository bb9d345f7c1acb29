"""`/download/tokens.…`: download a result as a picture, an HTML page or data."""

from webapp.pages.download.routes import blueprint
