"""The command `tokenscope`: the site's tokenizers in a shell, without the site.

`main` parses the arguments and runs a command, `inputs` reads texts, `commands` has the commands, and
`vocabulary_argument` finds the tokenizer for `--vocabulary`. `measure` measures tokenizers on files. `train` trains a
tokenizer on a corpus, with `progress_bar` and `training_errors`. Functions import what they need, so that the command
starts fast.
"""
