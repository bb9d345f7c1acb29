"""`/bytes`: GPT-2's byte alphabet, and the other marks in the spelling of tokens."""

from webapp.pages.byte_alphabet.routes import blueprint
