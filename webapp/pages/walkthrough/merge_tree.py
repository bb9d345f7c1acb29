"""The merge tree of a word as a figure: the initial symbols at the top, the tokens at the bottom.

Each piece has its id below it, each joint the rank or the score of the merge. Nodes that are not made yet are drawn as
thin lines only, so that the drawing keeps its shape from step to step.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from flask_babel import gettext as _

from webapp.core.traces.merge_records import CandidatePair, MergeNode
from webapp.pages.walkthrough.cells import direction
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureLabel, FigurePath
from webapp.web.localization import number

CELL = 9  # width of a character of a piece in pixels; a wide one takes two cells
MIN_WIDTH = 46  # of a node
PITCH = 70  # from one level to the next
TEXT = 16  # from the top of a node to the baseline of its piece
ID = 31  # … to the baseline of its id
FOOT = 36  # … to the start of the lines below it
BAR = 20  # from a joint down to its node
BAND = 34  # height of the characters above their bytes
MARGIN = 6
_SIZES = {"node": 16.0, "id": 11.0, "rank": 11.0, "character": 15.0}  # of fonts, by the kind of a label


@dataclass(frozen=True)
class MergeTree:
    """The drawing, and for its table all nodes, how many of them are `made` so far, and the numbers of the tokens."""

    word: str
    figure: Figure
    nodes: Sequence[MergeNode]
    made: int
    tokens: frozenset[int]


def merge_tree(
    word: str,
    nodes: Sequence[MergeNode],
    tokens: Sequence[MergeNode],
    *,
    made: int | None = None,
    new: frozenset[int] = frozenset(),
    tint: int = 0,
) -> MergeTree:
    """The tree of a word with the first `made` nodes (None: all of them, and the tokens are final).

    `new` are the nodes of this step, `tokens` the final tokens of the word, `tint` the index of the first of them in
    the text, for their colours.
    """
    drawing = _Drawing(word, nodes, tokens, made, tint)
    if drawing.band:
        drawing.draw_characters()
    for node in nodes:
        drawing.draw_joint(node, new=node.number in new)
        drawing.draw_node(node, new=node.number in new)
    shown = shown_piece(word)
    figure = Figure(
        "merge-tree",
        max(drawing.right.values(), default=0.0) + MARGIN,
        drawing.top(drawing.bottom) + FOOT + MARGIN,
        (*drawing.lines, *drawing.boxes, *drawing.labels),
        title=_("Merge tree of %(word)s; the table below lists the same merges.", word=shown),
        focus=max((drawing.middle[number] for number in new), default=0.0),
    )
    return MergeTree(shown, figure, nodes, drawing.made, frozenset(drawing.tokens if drawing.ended else ()))


def rank_or_score(merge: MergeNode | CandidatePair | None) -> str:
    """The rank or the score of a merge, or of the merge that made a node, as text; empty if there is none."""
    if merge is not None and merge.score is not None:
        return number(merge.score, 0 if merge.score.is_integer() else 3).replace("-", "−")
    return "" if merge is None or merge.rank is None else number(merge.rank)


def width_in_cells(text: str) -> int:
    """The approximate width of a text in fixed-width characters.

    >>> width_in_cells("low"), width_in_cells("研究"), width_in_cells("e\\u0301")
    (3, 4, 1)
    """
    return sum(
        2 if unicodedata.east_asian_width(character) in "WF" else 0 if unicodedata.combining(character) else 1
        for character in text
    )


class _Drawing:
    def __init__(
        self, word: str, nodes: Sequence[MergeNode], tokens: Sequence[MergeNode], made: int | None, tint: int
    ) -> None:
        self.tint = tint
        self.word = word
        self.nodes = nodes
        self.ended = made is None
        self.made = len(nodes) if made is None else made
        self.tokens = {token.number for token in tokens}
        self.leaves = [node for node in nodes if not node.parts]
        # The nodes that replaced another one: its bytes, or the parts it was split into.
        self.replacements: dict[int, list[int]] = {}
        self.level: dict[int, int] = {}
        for node in nodes:
            self.level[node.number] = 1 + max((self.level[part] for part in node.parts), default=-1)
            if len(node.parts) == 1:
                self.replacements.setdefault(node.parts[0], []).append(node.number)
        places = [(leaf.start, leaf.end) for leaf in self.leaves if leaf.kind != "suffix"]
        self.band = BAND if len(set(places)) < len(places) else 0  # for characters that start as several symbols
        self.bottom = max([*self.level.values(), 1])
        self.left, self.right = self._columns()
        self.middle: dict[int, float] = {}
        for node in nodes:
            self.middle[node.number] = self._middle(node)
        self.lines: list[FigurePath] = []
        self.boxes: list[FigureBox] = []
        self.labels: list[FigureLabel] = []

    # --- layout

    def _columns(self) -> tuple[dict[int, float], dict[int, float]]:
        """The left and right edge of each node: leaves side by side, all others from their parts."""
        widths = [self._width(leaf) for leaf in self.leaves]
        ends = list(accumulate(widths, initial=float(MARGIN)))
        left: dict[int, float] = {}
        right: dict[int, float] = {}
        for at, leaf in enumerate(self.leaves):
            left[leaf.number], right[leaf.number] = ends[at], ends[at + 1]
        for node in self.nodes:
            if len(node.parts) == 1 and node.how in ("byte", "apart"):
                siblings = self.replacements[node.parts[0]]
                start, whole = left[node.parts[0]], right[node.parts[0]] - left[node.parts[0]]
                node_widths = [self._width(self.nodes[number]) for number in siblings]
                at = siblings.index(node.number)
                left[node.number] = start + whole * sum(node_widths[:at]) / sum(node_widths)
                right[node.number] = start + whole * sum(node_widths[: at + 1]) / sum(node_widths)
            elif node.parts:
                left[node.number] = min(left[part] for part in node.parts)
                right[node.number] = max(right[part] for part in node.parts)
        return left, right

    def _width(self, node: MergeNode) -> float:
        own = max(MIN_WIDTH, width_in_cells(shown_piece(node.piece)) * CELL + 22, len(_id(node)) * 7 + 14)
        return max(own, sum(self._width(self.nodes[number]) for number in self.replacements.get(node.number, ())))

    def _middle(self, node: MergeNode) -> float:
        if len(node.parts) == 2:
            return (self.middle[node.parts[0]] + self.middle[node.parts[1]]) / 2
        return (self.left[node.number] + self.right[node.number]) / 2

    def top(self, level: int) -> float:
        return self.band + MARGIN + level * PITCH

    def _top_of(self, node: MergeNode) -> float:
        """The y of a node: tokens at the bottom, others at their level; a leaf stays at the top."""
        at_bottom = node.number in self.tokens and node.parts
        return self.top(self.bottom if at_bottom else self.level[node.number])

    # --- drawing

    def draw_characters(self) -> None:
        """Draw each character above its bytes."""
        for (start, end), group in groupby(self.leaves, key=lambda leaf: (leaf.start, leaf.end)):
            leaves = list(group)
            if leaves[0].kind == "suffix":
                continue
            left, right = self.left[leaves[0].number] + 5, self.right[leaves[-1].number] - 5
            text = shown_piece(self.word[start:end])
            self.labels.append(_label((left + right) / 2, 15, text, "character"))
            if len(leaves) > 1:
                self.lines.append(FigurePath(f"M{left:g} 30v-7H{right:g}v7", "over"))

    def draw_joint(self, node: MergeNode, *, new: bool) -> None:
        """Draw the lines from the parts of a node to the node, with the rank or score."""
        is_made = node.number < self.made
        kind = "ghost" if not is_made else "joint new" if new else "joint"
        x = self.middle[node.number]
        if not node.parts:
            if node.number in self.tokens and self.ended:
                self.lines.append(FigurePath(f"M{x:g} {self.top(0) + FOOT:g}V{self.top(self.bottom) - 4:g}", "same"))
            return
        bar = self.top(self.level[node.number]) - BAR
        for part in node.parts:
            self.lines.append(FigurePath(f"M{self.middle[part]:g} {self._foot(part):g}V{bar:g}H{x:g}", kind))
        self.lines.append(
            FigurePath(f"M{x:g} {bar:g}V{self._top_of(node) - (4 if node.number in self.tokens else 0):g}", kind)
        )
        figure = rank_or_score(node) if node.how == "merge" else ""
        if is_made and figure:
            width = len(figure) * 6.6 + 10
            self.boxes.append(FigureBox(x - width / 2, bar - 8, width, 16, "rank new" if new else "rank"))
            self.labels.append(_label(x, bar + 4, figure, "rank on-accent" if new else "rank"))

    def _foot(self, number: int) -> float:
        """The y at which lines continue below a node; a node not made yet has no label to leave room for."""
        return self.top(self.level[number]) + (FOOT if number < self.made else 0)

    def draw_node(self, node: MergeNode, *, new: bool) -> None:
        """Draw a node; a leaf that is a token is drawn at the bottom too."""
        if node.number >= self.made:
            return
        token, x = self.ended and node.number in self.tokens, self.middle[node.number]
        if node.parts:
            self._draw_label(node, x, self._top_of(node), token=token, new=new)
            return
        self._draw_label(node, x, self.top(0), token=False, new=False)
        if token:
            self._draw_label(node, x, self.top(self.bottom), token=True, new=False)

    def _draw_label(self, node: MergeNode, x: float, top: float, *, token: bool, new: bool) -> None:
        text = shown_piece(node.piece)
        unknown = node.kind in ("unknown", "uncovered", "unused")
        if token or new:
            width = max(width_in_cells(text) * CELL + 14, len(_id(node)) * 7 + 10)
            self.boxes.append(FigureBox(x - width / 2, top - 2, width, FOOT + 1, self._tint(node) if token else "made"))
        self.labels.append(_label(x, top + TEXT, text, "node" + " unknown" * unknown + " new" * new))
        self.labels.append(_label(x, top + ID, _id(node), "id on-token" if token else "id"))

    def _tint(self, node: MergeNode) -> str:
        """The colours of tokens alternate, as on the other pages."""
        tokens = sorted((self.middle[number], number) for number in self.tokens)
        at = next(at for at, (_middle, number) in enumerate(tokens) if number == node.number)
        return f"token k{(self.tint + at) % 6 + 1}"


def _label(x: float, y: float, text: str, kind: str) -> FigureLabel:
    return FigureLabel(x, y, text, kind, _SIZES.get(kind.split()[0], 15.0), direction=direction(text))


def _id(node: MergeNode) -> str:
    return "–" if node.id is None else str(node.id)
