"""Several tokenizers on one text: what is chosen, what each makes of it, and how that is drawn row under row."""
