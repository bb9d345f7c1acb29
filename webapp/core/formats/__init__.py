"""Vocabularies as files: word lists (`dictionary`) and Hugging Face's `tokenizer.json` (`huggingface`)."""
