"""`/decode`: ids as text, token by token, and what a client prints that receives them in a stream."""

from webapp.pages.decode.routes import blueprint

__all__ = ["blueprint"]
