"""A text and what became of it, as the pages show it: the form's state, the result, its details, its sentences.

Every page that shows a result is made of these: the playground, and whatever else keeps or compares results.
"""
