"""From a corpus to a tokenizer: what the page, the queue, the command line and the cluster have in common.

`plan`      every choice that changes the vocabulary, with defaults and limits; how far a training is
`corpus`    files as blocks of text: plain text, JSON Lines, gzip, zstd; a slice of them is held out
`counting`  how often each pre-token occurs, by one or several processes
`recipe`    the pipeline of a plan, and whether the plan is possible
`survey`    what a corpus is made of, seen in a sample
`forecast`  how long a plan will take on it, and how much memory
`train`     plan and counts to a tokenizer, with progress; `ngrams` and `taggers` do so for words
`record`    what was trained from what, so that anyone can train the same again
"""
