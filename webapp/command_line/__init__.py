"""`tokenscope`: the tokenizers of the site in a pipe, without the site.

`main` parses arguments and runs a command, `inputs` reads texts, `commands` makes results, `vocabulary_argument` finds
the tokenizer that `--vocabulary` names. Each imports what it needs when it needs it, so that the command starts fast.
"""
