"""Homework: exercises of published courses as data, their computed answers, and verdicts on what students hand in.

`exercises`      the exercises, read from `exercises.toml`, and those that a teacher sets
`check`          `check(exercise, answer)` returns a `Verdict`, `solution(exercise)` the right answer as text
`verdicts`       the data of a verdict: the first place that differs, and why
`readers`        forgiving readers of what is typed or pasted; `files` reads vocabulary files
`training`       what an exercise trains on, and what the walkthrough needs to show a round of it
`rounds`         the rounds of a BPE or WordPiece training with all pairs that tie; `merges` judges lists of merges
`sequences`      judges tokens, ids, tags, texts and strings of bytes
`segmentations`  judges segmented texts; `dictionaries` those made from a tagged corpus
`cells`          judges tables of numbers and texts, which `computed` computes

No answer is written down where it can be computed: the algorithms of `webapp.core` give it.
"""
