"""Judges dictionaries that are made from a tagged corpus."""

from webapp.core.homework.segmentations import LINE_ID, Texts, Values, dictionary_of, words_of_line
from webapp.core.homework.verdicts import Side, Verdict


def _corpus_words(text: str) -> list[tuple[str, str]]:
    """The words of a tagged corpus with their tags, in order."""
    return [
        (word, field.rpartition("/")[2].partition("]")[0])
        for line in text.split("\n")
        for field, word in zip(line.split(), words_of_line(line), strict=False)
    ]


def _dictionaries(values: Values, texts: Texts) -> dict[str, list[str]]:
    """The words of the dictionary that is asked for, then those by other rules: without numbers, without line ids."""
    tagged = _corpus_words(texts.get("corpus") or values["corpus"])
    every = list(dict.fromkeys(word for word, _tag in tagged))
    no_numbers = list(dict.fromkeys(word for word, tag in tagged if tag != "m"))
    wanted = [word for word in every if not LINE_ID.fullmatch(word)]
    longer = [word for word in wanted if len(word) > 1]
    return {"": wanted, "with-line-ids": every, "no-numbers": no_numbers, "no-single-characters": longer}


def judge(values: Values, texts: Texts, text: str, _find: object) -> Verdict:
    """The verdict on a dictionary: the first word of the corpus that it lacks, or the first that it has too many."""
    rules = _dictionaries(values, texts)
    mine, right = list(dictionary_of(text, "answer").words), rules.pop("")
    have, wanted = set(mine), set(right)
    missing = [word for word in right if word not in have]
    extra = [word for word in mine if word not in wanted]
    agreeing = len(wanted & have)
    if not missing and not extra:
        return Verdict("right", "word", agreeing, len(right), in_both=agreeing)
    rule = next((name for name, words in rules.items() if set(words) == have), "")
    why = ""
    if not rule:
        why = "extra-word" if not missing else "missing-word"
        if extra and "/" in extra[0]:
            why = "tag-in-word"
        elif extra and extra[0].startswith("["):
            why = "bracket-in-word"
    place = right.index(missing[0]) + 1 if missing else mine.index(extra[0]) + 1
    return Verdict(
        "other-rule" if rule else "wrong",
        "word",
        agreeing,
        len(right),
        place=place,
        why=why,
        rule=rule,
        yours=Side(extra[0]) if extra else None,
        right=Side(missing[0]) if missing else None,
        in_both=agreeing,
    )


def written(values: Values, texts: Texts, _find: object) -> str:
    """The right dictionary, a word a line."""
    return "".join(f"{word}\n" for word in _dictionaries(values, texts)[""])
