r"""Forgiving readers of typed answers: merges, lists of tokens, ids, tags, strings of bytes, and table cells.

Students copy from a notebook, from a file or from paper, so the same merge may be `s t`, `s + t`, `('s', 't')`,
`(b's', b't')`, `12. s t -> st`, `s t 9` or two ids of minbpe. What is left open says `AnswerError`, with the line.
"""

import ast
import json
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from webapp.core.homework.verdicts import AnswerError
from webapp.core.vocabulary_error import Phrase, shown

LONGEST_TYPED = 50_000  # characters of an answer that is typed: tokens, ids, tags, cells
LONGEST_MERGES = 1_000_000  # characters
LONGEST_LITERAL = 100_000  # characters of a Python list: parsing takes 200 times its length in memory
MOST_ITEMS = 200_000

Raw = str | bytes | int
"""A piece as it is written: text, bytes, or the id of minbpe."""

_QUOTED = re.compile(r"""\bb?(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")""")
_NUMBERED = re.compile(r"^\s*(?:\d{1,6}[.):]|[-*•])\s+(?=\S)")
_ARROW = re.compile(r"\s*(?:->|=>|→|⇒)")
_IDS = re.compile(r"\((\d{1,7}),\s*(\d{1,7})\)")
_COUNT = re.compile(r"\(?\d+(?:\.\d+)?\)?")
_BETWEEN = re.compile(r"\s*[,，;；、]\s*")
_AROUND = "[](){}（）【】"


def read_merges(text: str) -> list[tuple[Raw, Raw]]:
    """Return the pairs of a list of merges, in order.

    >>> read_merges("#version: 0.2\\ns t\\ne st\\n"), read_merges("s t, e st; o w")
    ([('s', 't'), ('e', 'st')], [('s', 't'), ('e', 'st'), ('o', 'w')])
    >>> read_merges("1. s + t -> st (9)\\n2. ('e', 'st')"), read_merges("[(b's', b't'), (b'e', b'st')]")
    ([('s', 't'), ('e', 'st')], [(b's', b't'), (b'e', b'st')])
    >>> read_merges("(101, 115) -> 256"), read_merges("  t\\nin g")  # the first is a space and t
    ([(101, 115)], [(' ', 't'), ('in', 'g')])

    Raises AnswerError, with the number of the line, for a line that is not two pieces.
    """
    text = checked(text, LONGEST_MERGES)
    if (items := _literal(text)) is not None:
        return [as_pair(item, at) for at, item in enumerate(items, 1)]
    lines = text.replace("\r\n", "\n").split("\n")
    parts = [part for part in re.split(r"\s*[,，;；、·]\s*|\s{3,}|\|", text.strip()) if part]
    is_one_line = text.count("\n") <= 1 and len(parts) > 1 and not _QUOTED.search(text)
    if is_one_line and all(len(one.split()) == 2 for one in parts):
        lines = parts
    listed = [re.fullmatch(r"""\s*(['"])(\S+ \S+)\1,?\s*""", line) for line in lines if line.strip()]
    if all(listed):  # a list with an entry on each line
        lines = [each[2] for each in listed if each]
    pairs = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#version"):
            pairs.append(_pair_of_line(line, number))
    return pairs


def _pair_of_line(line: str, number: int) -> tuple[Raw, Raw]:
    quoted = _QUOTED.findall(line)
    fields = line.split(" ")
    if len(fields) == 2 and all(fields):
        inner = [field.strip("()[],") for field in fields]
        if not all(_QUOTED.fullmatch(field) and evaluated(field) for field in inner):  # else ('s', 't')
            return fields[0], fields[1]
    if len(quoted) > 1:
        return as_pair([evaluated(one) for one in quoted[:2]], number)
    if quoted:
        return as_pair(evaluated(quoted[0]), number)
    if found := _IDS.search(line):
        return int(found[1]), int(found[2])
    if found := re.fullmatch(r"( \S*) (\S+)", line):  # a piece that begins with a space
        return found[1], found[2]
    bare = _ARROW.split(_NUMBERED.sub("", line))[0].strip().strip(_AROUND)
    for separator in (r"\s+\+\s+", r"\t", r"\s+", r"\+", r"\s*[,，]\s*"):
        fields = re.split(separator, bare)
        if len(fields) == 3 and _COUNT.fullmatch(fields[2]):
            fields = fields[:2]
        if len(fields) == 2 and all(fields):
            return fields[0], fields[1]
    message = Phrase(
        "Line %(line)s is not a merge: %(text)s. Write the two pieces with a space between them.",
        line=number,
        text=shown(line),
    )
    raise AnswerError(message)


def as_pair(item: Any, number: int) -> tuple[Raw, Raw]:
    """An entry of a list of merges as its two pieces; raises AnswerError."""
    match item:
        case [[left, right], int()] | [left, right] if all(isinstance(one, str | bytes | int) for one in (left, right)):
            return left, right
        case str() if len(item.split(" ")) == 2:
            left, right = item.split(" ")
            return left, right
    message = Phrase("Entry %(number)s of the list is not a merge: %(text)s.", number=number, text=shown(item))
    raise AnswerError(message)


def evaluated(quoted: str) -> Any:
    """The value of a quoted text or string of bytes; what is in the quotes if Python cannot read it."""
    try:
        return ast.literal_eval(quoted)
    except (ValueError, SyntaxError):
        return quoted.strip("'\"")


def _literal(text: str) -> list[Any] | None:
    """The items of a JSON or Python list; None for other texts."""
    text = text.strip()
    if not text.startswith(("[", "(")) or not text.endswith(("]", ")")):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        if len(text) > LONGEST_LITERAL or (text.startswith("(") and "\n" in text):
            return None
        try:
            found = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None
    if isinstance(found, tuple) and len(found) == 2 and not isinstance(found[0], list | tuple):
        return None  # a single merge
    items = list(found) if isinstance(found, list | tuple) else None
    return [list(item) if isinstance(item, tuple) else item for item in items] if items else items


def checked(text: str, most: int = LONGEST_TYPED) -> str:
    """A text within the limit and without a byte order mark; raises AnswerError, also for an empty one."""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise AnswerError(Phrase("There is no answer yet. Type it or choose a file."))
    if len(text) > most:
        message = Phrase("The answer has %(count)s characters; the limit is %(most)s.", count=len(text), most=most)
        raise AnswerError(message)
    return text


def read_tokens(text: str) -> list[str]:
    """Return the tokens of a word or a text.

    >>> read_tokens('["un", "hug"]'), read_tokens("un hug"), read_tokens("un / hug"), read_tokens("'un', 'hug'")
    (['un', 'hug'], ['un', 'hug'], ['un', 'hug'], ['un', 'hug'])
    """
    text = checked(text)
    items = _literal(text)
    if items is None:
        quoted = _QUOTED.findall(text)
        items = (
            [evaluated(one) for one in quoted]
            if quoted
            else _separated(text.strip().strip(_AROUND if "," in text else " "))
        )
    found = [one.decode(errors="replace") if isinstance(one, bytes) else str(one) for one in items]
    return found[:MOST_ITEMS]


def _separated(text: str) -> list[str]:
    for separator in (r"\s*\|\s*", r"\s*/\s*", r"\s+\+\s+", r"\s*[,，、]\s*"):
        if len(found := re.split(separator, text)) > 1:
            return [one for one in found if one]
    return text.split()


def read_ids(text: str) -> list[int]:
    """Return the ids in a text, whatever separates them.

    >>> read_ids("[258, 100, 258]"), read_ids("258 100 258\\n"), read_ids("array([258, 100], dtype=uint16)")
    ([258, 100, 258], [258, 100, 258], [258, 100])

    Raises AnswerError for a text without ids, and for what is no number.
    """
    text = re.sub(r"dtype\s*=\s*\w+|\b(?:array|tensor)\b", "", checked(text))
    found = [word for word in re.split(r"[\s,，;；、|\[\](){}]+", text) if word]
    wrong = next((word for word in found if not (word.isascii() and word.isdecimal() and len(word) < 10)), None)
    if wrong is not None:
        raise AnswerError(Phrase("%(value)s is not an id. Write the ids with spaces or commas.", value=shown(wrong)))
    return [int(word) for word in found[:MOST_ITEMS]]


def read_tags(text: str, tags: Iterable[str]) -> list[str]:
    """Return the tags in a text; letters without separators are read one by one.

    >>> read_tags("B E S", "BMES"), read_tags("BES", "BMES"), read_tags("杭/B 研/E", "BMES")
    (['B', 'E', 'S'], ['B', 'E', 'S'], ['B', 'E'])

    Raises AnswerError if there is none.
    """
    known = set(tags)
    words = re.findall(r"[^\W_]+", checked(text))
    found = [word for word in words if word in known]
    if not found or (len(found) < len(words) and all(set(word) <= known for word in words)):
        found = [letter for word in words for letter in word if letter in known]
    if not found:
        raise AnswerError(
            Phrase("There are no tags in the answer. Use these: %(tags)s.", tags=", ".join(sorted(known)))
        )
    return found[:MOST_ITEMS]


def read_bytes(text: str) -> bytes:
    r"""Return a string of bytes, written as Python writes it, in hexadecimal, as numbers, or as the text itself.

    >>> read_bytes(r"b'\xc3\x28'"), read_bytes("C3 28"), read_bytes("0xC3 0x28"), read_bytes("[195, 40]")
    (b'\xc3(', b'\xc3(', b'\xc3(', b'\xc3(')
    >>> read_bytes("é"), read_bytes(r"\xc3\x28")
    (b'\xc3\xa9', b'\xc3(')
    """
    text = checked(text).strip()
    if (found := _QUOTED.search(text)) and isinstance(value := evaluated(found[0]), str | bytes):
        return value if isinstance(value, bytes) else value.encode(errors="replace")
    if re.fullmatch(r"(?:\\x[0-9a-fA-F]{2})+", text):
        return bytes.fromhex(text.replace("\\x", ""))
    words = re.findall(r"\w+", text)
    if text.startswith(("[", "(")) and all(word.isdecimal() and len(word) < 4 and int(word) < 256 for word in words):
        return bytes(map(int, words))
    hexadecimal = [word.lower().removeprefix("0x") for word in words]
    if hexadecimal and all(re.fullmatch("[0-9a-f]{2}", word) for word in hexadecimal):
        return bytes.fromhex("".join(hexadecimal))
    if re.fullmatch("(?:[0-9a-fA-F]{2}){2,}", text):
        return bytes.fromhex(text)
    return text.encode(errors="replace")


def read_number(text: str) -> float | None:
    """Return a number: a fraction, a percentage, with decimals or an exponent; None for what is none.

    >>> list(map(read_number, ("3/14", "12.5 %", "5.18e-4", "15/210 * 20/210", "x")))
    [0.21428571428571427, 0.125, 0.000518, 0.006802721088435374, None]
    """
    text = text.strip().replace("−", "-").replace("，", ",").replace("×", "*").replace("·", "*").replace("％", "%")
    factor = 1.0
    if text.endswith("%"):
        text, factor = text[:-1].strip(), 0.01
    if re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        text = text.replace(",", "")
    product = Fraction(1)
    for part in text.split("*"):
        found = re.fullmatch(r"([-+]?\d{0,20}\.?\d{1,20}(?:[eE][-+]?\d{1,2})?)(?:\s*/\s*(\d{1,15}))?", part.strip())
        if not found or (found[2] and not int(found[2])):
            return None
        product *= Fraction(found[1]) / int(found[2] or 1)
    return float(product) * factor


def decimals_of(text: str) -> int | None:
    """How many decimals a written number has, at most; None for one that is exact, such as a fraction.

    >>> decimals_of("0.67"), decimals_of("12.5 %"), decimals_of("5.18e-4"), decimals_of("3/14")
    (2, 3, 6, None)
    """
    if "/" in text or "*" in text:
        return None
    found = re.search(r"\d*\.?(\d*)(?:[eE]([-+]?\d{1,2}))?\s*([%％]?)", text.strip().lstrip("-−+"))
    assert found is not None  # it matches the empty text
    return len(found[1]) - int(found[2] or 0) + (2 if found[3] else 0)


def read_cells(text: str, labels: Sequence[str]) -> list[str]:
    """Return the text of each cell of a table: by its label, or all in their order.

    >>> [read_cells(text, ["h", "u"]) for text in ("h 15\\nu: 36", "u = 36; h = 15", "15 36")]
    [['15', '36'], ['15', '36'], ['15', '36']]
    >>> read_cells("P(Sam|am) = 3/14", ["P(Sam | am)"])
    ['3/14']

    A cell without a value is empty. Raises AnswerError if there are more values than cells.
    """
    found = dict.fromkeys(labels, "")
    names = {_bare(label): label for label in labels}
    if len(names) < len(labels):  # then the spaces in them matter
        names = {}
    names |= {_spaced(label): label for label in labels}
    rest: list[str] = []
    fields = re.split(r"\s*[,，;；|]\s*|\s+", text.strip().strip(_AROUND))
    if len(fields) == len(labels) and not re.search("[=:：\n]", text.strip()) and checked(text):
        return fields
    named = "|".join(re.escape(label) for label in labels if not label.isdecimal())
    for line in re.split(r"[\n;；]|,\s(?=[^\d])", checked(text)):
        label, value = _labelled(line.strip(), names)
        apart = [line]
        if named and read_number(value) is None:  # several cells on a line
            apart = re.split(rf"(?<=\s)(?=(?:{named})\s*(?:[=:：]|\s[\d.]))", line)
        for part in filter(str.strip, apart):
            label, value = _labelled(part.strip(), names)
            if label:
                found[label] = value
            else:
                rest.append(value)
    if len(rest) == 1 and len(labels) > 1 and not any(found.values()):
        rest = re.split(r"\s*[,，|]\s*|\s+", rest[0].strip(_AROUND))
    empty = [label for label in labels if not found[label]]
    if len(rest) > len(empty):
        message = Phrase(
            "%(count)s values have no cell; the table has %(most)s. The first is %(first)s. Write “name value”, one a "
            "line.",
            count=len(rest),
            most=len(labels),
            first=shown(rest[0]),
        )
        raise AnswerError(message)
    found |= dict(zip(empty, rest, strict=False))
    return [found[label] for label in labels]


def _bare(text: str) -> str:
    return re.sub(r"[\s\"'“”‘’`()（）]", "", text.replace("｜", "|")).casefold()


def _spaced(text: str) -> str:
    return " ".join(text.casefold().split())


def _labelled(line: str, names: dict[str, str]) -> tuple[str, str]:
    """The label that a line begins with, and its value; no label if it begins with none."""
    for at in [found.start() for found in re.finditer(r"[\s=:：→]+", line[:200])][::-1]:  # where a label may end
        begin = line[:at].rstrip(" \t=:：→")
        label = names.get(_spaced(begin)) or names.get(_bare(begin))
        if label is not None and line[at:].strip(" \t=:：→"):
            return label, line[at:].strip(" \t=:：→")
    return "", line
