"""`/steps/training/ALGORITHM`: how BPE, WordPiece and Unigram learn a vocabulary from a short text, round by round."""

from webapp.pages.training.routes import blueprint

__all__ = ["blueprint"]
