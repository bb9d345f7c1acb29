"""The command `tokenscope`: the site's tokenizers in a shell, without the site.

`main` parses the arguments and runs a command, `inputs` reads texts, `commands` has the commands for each text, and
`tokenizers` finds the tokenizer that arguments choose. `measure` measures tokenizers on files, `messages` counts
conversations, and `train` trains a tokenizer on a corpus. Functions import what they need, so that the command starts
fast.
"""
