"""A conversation as the model receives it: messages, a chat template, the prompt, its tokens counted by message.

`state` is a visitor's choices, `forms` reads them, `count` renders and tokenizes; `counts` and `markers` do the
counting without the web, for the command line too; `views` draws the result, `exports` writes it as a file.
"""
