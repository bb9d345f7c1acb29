"""The engine of walkthroughs: the steps of an algorithm, encoding or training, as pages, pictures, tables and JSON.

An algorithm gives frames. A frame is a plain record: what happens and why as a sentence, the same as JSON values, the
values of the template that draws it, and a picture. A `Walkthrough` is a list of functions without arguments, one for
each step, so that only the steps that are shown cost anything; with the ids of the result, and the number of the step
that made each token.

    >>> from functools import partial
    >>> def letter(text: str) -> Frame:
    ...     sentence = f"“{text}” is a letter. It is taken."
    ...     return Frame("letter.html", sentence, {"kind": "letter", "letter": text}, lambda: {"letters": [text]})
    >>> spelled = Walkthrough([partial(letter, "a"), partial(letter, "b")], ids=[1, 2], made=[0, 1])
    >>> shown = ShownStep(spelled, 1, "/letters?step={}".format)
    >>> shown.part["letters"], shown.now.sentence, shown.address(shown.last)
    (['b'], '“b” is a letter. It is taken.', '/letters?step=1')

The template of a frame extends `walkthrough/_stage.html`. It gets a `ShownStep` as `frame`, with the player and its
links, the sentence with markup and the picture, and the frame's values as `part`.
`all_steps_json` writes all steps, `wanted_picture` and `picture_file` the picture of one; `WalkthroughContext` has the
variables of `walkthrough/_walkthrough.html`.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import regex
from flask import Response, current_app, make_response, request
from markupsafe import Markup, escape

from webapp.rendering.pictures.figure import Figure, figure_png, figure_svg
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import joined
from webapp.vocabularies import StillFetchingError
from webapp.web.htmx import private, swappable
from webapp.web.json_responses import json_response
from webapp.web.templates import Context

MOST_BEST = 20
"""How many best segmentations the last step of Unigram and n-grams may list."""

PictureKind = Literal["svg", "png"]


@dataclass(frozen=True)
class Frame:
    """One step of an algorithm: its `sentence` in the reader's language, and the same as a JSON `record`, untranslated.

    `values` and `picture` are called only for the step that is shown; `values` are those that `template` reads.
    """

    template: str
    sentence: str
    record: Mapping[str, Any]
    values: Callable[[], Mapping[str, Any]] = dict
    picture: Callable[[], Figure | None] = lambda: None


@dataclass
class Walkthrough:
    """The steps of one text or corpus, numbered from 0; there is at least one, and the last shows the result.

    `ids` are those that the playground shows for the same text, `made` is the step that made each of them. `rows` gives
    all steps as one table, with a row of headings; None if there is none. `preparation` is what happened before the
    algorithm: the frame of step 0, which the page shows below the steps, and which the player leaves out.
    """

    frames: Sequence[Callable[[], Frame]]
    ids: Sequence[int] = ()
    made: Sequence[int] = ()
    rows: Callable[[], list[list[object]]] | None = None
    preparation: Callable[[], Frame] | None = None

    def __len__(self) -> int:
        return len(self.frames) + self.first

    @property
    def first(self) -> int:
        """The number of the algorithm's first step: 1 after a preparation."""
        return int(self.preparation is not None)

    def at(self, step: int) -> Frame:
        """The frame of a step."""
        return self.preparation() if self.preparation and not step else self.frames[step - self.first]()

    def step_of(self, token: int) -> int:
        """The step that made token `token` of the result."""
        return self.made[token] + self.first


@dataclass(frozen=True)
class ShownStep:
    """Step `step` of a walkthrough; `address` maps a step to its address, `note` is a sentence above the step."""

    walkthrough: Walkthrough
    step: int
    address: Callable[[int], str]
    note: str = ""

    @cached_property
    def now(self) -> Frame:
        """The frame of the step."""
        return self.walkthrough.at(self.step)

    @property
    def template(self) -> str:
        """The template that draws it."""
        return self.now.template

    @cached_property
    def part(self) -> Mapping[str, Any]:
        """The values for the template, as `part`; None for one that the step does not have."""
        return defaultdict(lambda: None, self.now.values())

    @cached_property
    def picture(self) -> Figure | None:
        """The picture of the step, None if it has none."""
        return self.now.picture()

    @property
    def preparation(self) -> Mapping[str, Any] | None:
        """The values for `walkthrough/_preparation.html`, if the walkthrough knows them."""
        return self.walkthrough.preparation().values() if self.walkthrough.preparation else None

    @property
    def first(self) -> int:
        """The number of the first step that the player shows."""
        return self.walkthrough.first

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.walkthrough) - 1

    @property
    def emphasized(self) -> Markup:
        """The sentence with markup."""
        return emphasized(self.now.sentence)


class WalkthroughContext(Context):
    """One step, for htmx."""

    template = "walkthrough/_walkthrough.html"

    frame: ShownStep | None  # None if there is no step to show
    problems: Sequence[InputProblem]
    offers: Sequence[tuple[str, str]] = ()  # links that solve the problems: label, address
    pending: StillFetchingError | None = None  # while the vocabulary is being downloaded
    again: str = ""  # the address to request again until then


def say(algorithm: str, kind: str, /, **values: object) -> str:
    """The sentence of a step, as the macro `kind` of `templates/sentences/ALGORITHM.html` writes it.

    Each line of the macro is a sentence.
    """
    written: Markup = getattr(current_app.jinja_env.get_template(f"sentences/{algorithm}.html").module, kind)(**values)
    return joined(line.strip() for line in written.unescape().split("\n"))


def emphasized(sentence: str) -> Markup:
    """The sentence with markup: its first part in bold, quoted pieces as marks. Its text is unchanged.

    >>> print(emphasized("It ends at 3. It wins with −1.5.")), print(emphasized("Take “a”."))
    <strong>It ends at 3.</strong> It wins with −1.5.
    Take <mark><span class="unseen">“</span>a<span class="unseen">”</span></mark>.
    (None, None)
    """
    first = _FIRST.match(sentence)
    if first is None:
        return _marked(sentence)
    return Markup("<strong>{}</strong>{}").format(_marked(first[1]), _marked(sentence[first.end() :]))


def all_steps_json(walkthrough: Walkthrough, about: dict[str, Any]) -> Response:
    """All steps of a walkthrough as JSON, after the fields `about` its input."""
    frames = [walkthrough.at(step) for step in range(len(walkthrough))]
    steps = [{"step": step, "sentence": frame.sentence, **frame.record} for step, frame in enumerate(frames)]
    return private(json_response({**about, "steps": steps, "ids": list(walkthrough.ids)}))


def step_in_address(walkthrough: Walkthrough) -> int:
    """The step that the address of the request names, at most the last; 0 without one."""
    written = request.args.get("step", "")
    return min(int(written), len(walkthrough) - 1) if re.fullmatch("[0-9]{1,9}", written) else 0


def wants_json() -> bool:
    """Whether the request asks for JSON."""
    return request.args.get("format") == "json"


def wanted_picture() -> PictureKind | None:
    """The kind of picture file that the request asks for; None for a page."""
    kinds: dict[str, PictureKind] = {"svg": "svg", "png": "png"}
    return kinds.get(request.args.get("format", ""))


def picture_file(figure: Figure, kind: PictureKind, name: str) -> Response:
    """The picture as a download named `NAME.svg` or `NAME.png`; `name` must not contain input of the visitor.

    `colours=dark` in the address chooses the dark theme.
    """
    theme: Literal["dark", "light"] = "dark" if request.args.get("colours") == "dark" else "light"
    if kind == "svg":
        return download(figure_svg(figure, theme=theme).encode("utf-8", "replace"), "image/svg+xml", f"{name}.svg")
    return download(figure_png(figure, theme=theme), "image/png", f"{name}.png")


def download(body: bytes | str, mimetype: str, name: str) -> Response:
    """A file named `name`, which must not contain input of the visitor."""
    response = Response(body, mimetype=mimetype)
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    return private(response)


def page(body: str, status: int = 200, *, link: str = "") -> Response:
    """A response in HTML; for htmx with the address to show in the browser."""
    return swappable(make_response(body, status), link)


# The first sentence of several: up to a full stop that is not inside quotation marks or a number.
_FIRST = regex.compile(r"^((?:“[^“”]*”|\.(?=\d)|[^“”.。])*[.。])(?=\s|\p{Han}|“)", regex.DOTALL)
_QUOTED = regex.compile(r"“([^“”]+)”")


def _marked(text: str) -> Markup:
    quote = Markup('<mark><span class="unseen">“</span>{}<span class="unseen">”</span></mark>')
    parts = _QUOTED.split(text)
    return Markup("").join(quote.format(part) if at % 2 else escape(part) for at, part in enumerate(parts))
