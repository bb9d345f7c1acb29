"""`/vocabularies/diff`: which pieces two vocabularies share."""
