"""`/`: the playground, which shows the tokens, ids and decoded text of a text."""

from webapp.pages.playground.routes import blueprint
