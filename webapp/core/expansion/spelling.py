"""How a base spells a candidate, and whether its pipeline leaves the candidate whole."""

from __future__ import annotations

import re
from dataclasses import dataclass

from webapp.core.analysis.token_list import piece_marks
from webapp.core.expansion.candidates import SPACE, Candidate
from webapp.core.expansion.result import Reason
from webapp.core.tokenizer import Tokenizer

LONGEST = 100  # characters of a candidate
_SURROGATE = re.compile("[\ud800-\udfff]")

Form = str | bytes


class SpellingRefused(Exception):  # noqa: N818  # a verdict on a candidate, not an error
    """A candidate that the base cannot have."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True)
class Spelling:
    """The marks of a base and its pipeline.

    `byte_level` pieces are bytes; otherwise `space` stands for a space (empty if the base has none), `prefix` begins a
    piece inside a word and `suffix` ends a word.
    """

    base: Tokenizer
    byte_level: bool
    space: str
    prefix: str
    suffix: str

    @classmethod
    def of(cls, base: Tokenizer) -> Spelling:
        """The spelling of a base."""
        marks = piece_marks(base)
        byte_level = bool(getattr(base.model, "byte_level", False))
        space = getattr(getattr(base.model, "vocabulary", None), "space", marks.space)
        return cls(base, byte_level, space, marks.prefix, marks.suffix)

    def forms(self, candidate: Candidate) -> list[Form]:
        """The pieces that a candidate becomes: two where it may begin or continue a word, or end it or not.

        Raises SpellingRefused with the reason why there is none.
        """
        if isinstance(candidate.text, bytes):
            if not self.byte_level:
                raise SpellingRefused("part")
            return [candidate.text]
        text = candidate.text
        if len(text) > LONGEST:
            raise SpellingRefused("long")
        if not text or ("\0" in text and not self.byte_level) or _SURROGATE.search(text):
            raise SpellingRefused("invalid")
        if self.byte_level:
            self._check(str(candidate.literal))
            return [str(candidate.literal).encode()]
        if self.space:
            self._check(str(candidate.literal))
            return [str(candidate.literal).replace(" ", self.space)]
        if " " in text:
            raise SpellingRefused("space")
        if self.prefix:
            return self._wordpieces(text, candidate.start)
        self._check(text)
        if not self.suffix:
            return [text]
        endings = {True: [self.suffix], False: [""], None: ["", self.suffix]}[candidate.end]
        return [text + ending for ending in endings]

    def text_of(self, form: Form) -> str:
        """What a piece stands for, for a reader; bytes that are part of a character in hexadecimal."""
        if isinstance(form, bytes):
            try:
                return form.decode()
            except UnicodeDecodeError:
                return form.hex(" ").upper()
        return form.replace(self.space, " ") if self.space else form

    def _wordpieces(self, text: str, start: bool | None) -> list[Form]:
        first: SpellingRefused | None = None
        forms: list[Form] = []
        for begins in (True, False) if start is None else (start,):
            try:
                self._check(text, "" if begins else "a")
            except SpellingRefused as refused:
                first = first or refused
            else:
                forms.append(text if begins else self.prefix + text)
        if not forms:
            assert first is not None
            raise first
        return forms

    def _check(self, text: str, before: str | None = None) -> None:
        """Raise SpellingRefused if no pre-token contains the text: alone, or after a letter; or after `before`."""
        for context in ("", "a") if before is None else (before,):
            whole = context + text
            normalized = whole if self.base.normalizer is None else self.base.normalizer.normalize(whole)
            pretokens = self._pretokens(normalized)
            for wanted in dict.fromkeys((text, text.replace(" ", self.space or SPACE))):
                if any(context + wanted in pretoken if before else wanted in pretoken for pretoken in pretokens):
                    return
        alone = text if self.base.normalizer is None else self.base.normalizer.normalize(text)
        kept = "".join(alone.split()).replace(self.space or SPACE, "")
        if kept != "".join(text.split()).replace(self.space or SPACE, ""):
            raise SpellingRefused("normalized", kept[:LONGEST])
        raise SpellingRefused("split", " | ".join(self._pretokens(alone))[: 2 * LONGEST])

    def _pretokens(self, text: str) -> list[str]:
        return [text] if self.base.pretokenizer is None else self.base.pretokenizer.split(text)
