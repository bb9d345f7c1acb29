"""`/vocabularies/expand`: a vocabulary with pieces added."""
