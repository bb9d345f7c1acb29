"""A conversation as the model receives it: messages, a chat template, the prompt, its tokens counted by message.

`state` is a visitor's choices, `count` renders and tokenizes, and has what pages show; `counts` does the counting
without the web, for the command line too.
"""
