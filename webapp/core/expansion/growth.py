"""Adding candidates one by one: which are there already, which are new, which are refused."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import thread_time

from webapp.core.expansion.candidates import Candidate, Form, Spelling, SpellingRefused
from webapp.core.expansion.files import ExpansionError, Reason, Refusal
from webapp.core.expansion.merge_tables import MergeTable
from webapp.core.text.utf8 import following_bytes
from webapp.core.vocabulary_error import Phrase

BETWEEN_CHECKS = 32  # candidates


@dataclass
class NewPiece:
    """A piece that is added: its form, its candidate (None for one in between), and what the base makes of it."""

    form: Form
    old_ids: tuple[int, ...]
    candidate: Candidate | None = None


@dataclass
class Growth:
    """The candidates for a base: the new pieces in the order of their ids, and the candidates that are none.

    At most `most` pieces are added, in `seconds` of CPU time; `bridge` also adds the pieces in between.
    """

    spelling: Spelling
    candidates: Iterable[Candidate]
    most: int
    seconds: float
    bridge: bool
    new: dict[Form, NewPiece] = field(default_factory=dict)
    present: list[str] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.base = self.spelling.base
        self._until = thread_time() + self.seconds

    @property
    def room(self) -> int:
        """How many pieces may still be added."""
        return self.most - len(self.new)

    def refuse(self, candidate: Candidate, reason: Reason, detail: str = "") -> None:
        """Record a refused candidate."""
        self.refused.append(Refusal(candidate.name, reason, detail))

    def run(self, id_of: Callable[[Form], int | None], take: Callable[[Candidate, Form], None]) -> None:
        """Offer each form of each candidate that is neither present nor refused to `take`.

        `id_of` returns the id of a piece of the base, or None. Raises ExpansionError when the time is up.
        """
        contents = {token.content for token in self.base.added_tokens}
        for seen, candidate in enumerate(self.candidates, 1):
            if not seen % BETWEEN_CHECKS and thread_time() > self._until:
                sentence = Phrase(
                    "after %(seconds)s seconds, only %(count)s pieces had been compared; add a smaller vocabulary "
                    "or a shorter list",
                    seconds=f"{self.seconds:g}",
                    count=f"{seen:,}",
                )
                raise ExpansionError("addition", sentence)
            if candidate.literal in contents:
                self.present.append(candidate.name)
                continue
            try:
                forms = self.spelling.forms(candidate)
            except SpellingRefused as refused:
                self.refuse(candidate, refused.reason, refused.detail)
                continue
            wanted = [form for form in forms if form in self.new or id_of(form) is None]
            if not wanted:
                self.present.append(candidate.name)
            for form in wanted:
                if (known := self.new.get(form)) is not None:
                    known.candidate = known.candidate or candidate  # it was added in between, or is listed twice
                elif self.room < 1:
                    self.refuse(candidate, "limit")
                else:
                    take(candidate, form)


def grow(table: MergeTable, base: MergeTable, growth: Growth) -> None:
    """Add candidates to a table of merges; `base` is the same table as it was before.

    A candidate that the pieces so far leave in two parts gets the merge of both. If they leave more, the pieces in
    between are added, too, each as the merge of two: characters first, then from the left. Without `bridge` such a
    candidate is refused. So every new piece is reachable: its own text is encoded to it alone.
    """

    def take(candidate: Candidate, form: Form) -> None:
        missing = [symbol for symbol in table.missing(form) if symbol != form]
        parts = table.parts(form)
        if len(parts) > 2 and not growth.bridge:
            refuse_unreachable(candidate, parts)
            return
        if len(missing) + max(1, len(parts) - 1) > growth.room:
            growth.refuse(candidate, "limit")
            return
        for symbol in missing:
            add(symbol)
        if len(parts) == 1:  # a symbol, or one that merges build already
            add(form, candidate=candidate)
            return
        while len(parts) > 1:
            at = _next_pair(parts)
            made = parts[at] + parts[at + 1]  # type: ignore[operator]
            add(made, parts[at], parts[at + 1], candidate=candidate if made == form else None)
            before, parts = len(parts), table.parts(form)
            if len(parts) >= before:  # a user-defined piece inside, which nothing is merged with
                refuse_unreachable(candidate, parts)
                return

    def refuse_unreachable(candidate: Candidate, parts: Sequence[Form]) -> None:
        growth.refuse(candidate, "unreachable", " | ".join(map(growth.spelling.text_of, parts)))

    def add(form: Form, *halves: Form, candidate: Candidate | None = None) -> None:
        if table.add(form, *halves):
            growth.new[form] = NewPiece(form, base.base_ids(form), candidate)

    growth.run(table.id_of, take)


def _next_pair(parts: object) -> int:
    """The index of the pair to merge: one inside a character if there is one, else the first.

    >>> _next_pair([b"a", b"\\xe4", b"\\xb8\\xad"]), _next_pair(["a", "b", "c"])
    (1, 0)
    """
    assert isinstance(parts, list)
    if isinstance(parts[0], bytes):
        for at in range(len(parts) - 1):
            both = parts[at] + parts[at + 1]
            more = following_bytes(both[0])
            if more and len(both) <= len(more) + 1 and all(byte & 0xC0 == 0x80 for byte in both[1:]):
                return at
    return 0
