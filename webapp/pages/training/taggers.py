"""A tagger: each sentence of each round with its wrong tags, then the average weights, and the words of a text."""

from functools import partial

from flask_babel import gettext as _

from webapp.core.models.tag_weights import EDGE, SCALE, TAGS, TEMPLATES
from webapp.core.trainers.ngram import segmented
from webapp.core.trainers.tagger import Training, Visit
from webapp.pages.training import tables
from webapp.pages.training.request import TrainingRequest
from webapp.pages.walkthrough.cells import cell, quotable
from webapp.pages.walkthrough.engine import Frame, say
from webapp.rendering.pictures.figure import Symbol
from webapp.tokenization.forms import InputProblem
from webapp.web.json_responses import well_formed

ROUNDS = 10
SHOWN, HIGHEST = 40, 20  # characters and weights in a table


class TaggerTraining:
    """Rounds are shown up to the first without a mistake, after which nothing changes, or all of them."""

    def __init__(self, wanted: TrainingRequest) -> None:
        self._text = "".join(wanted.text_to_encode.split())
        sentences = list(segmented(wanted.corpus))
        if not sentences:
            raise InputProblem(_("The corpus has no words. Write sentences with spaces between the words."))
        self._words = ["/".join(words) for words in sentences]
        training = Training(sentences)
        visits = list(training.visits(ROUNDS))
        wrong = [sum(visit.wrong for visit in visits if visit.round == round) for round in range(1, ROUNDS + 1)]
        last = wrong.index(0) + 1 if 0 in wrong else ROUNDS
        self._visits = [visit for visit in visits if visit.round <= last]
        self._model = training.tagger()

    def walkthrough(self) -> tables.TrainingWalkthrough:
        """The steps, each made when it is shown."""
        return tables.TrainingWalkthrough(
            frames=[*(partial(self._frame, visit) for visit in self._visits), self._ended],
            ids=self._model.ids(self._text),
            all_rounds=self._all_visits,
        )

    def _frame(self, visit: Visit) -> Frame:
        sentence = quotable(self._words[visit.number])
        happened = say("training", "tagger_visit", visit=visit, sentence=sentence, characters=len(visit.text))
        record = {
            "kind": "sentence",
            "round": visit.round,
            "words": [well_formed(word) for word in self._words[visit.number].split("/")],
            "right": "".join(TAGS[tag] for tag in visit.right),
            "found": "".join(TAGS[tag] for tag in visit.found),
        }
        return tables.section_frame(happened, record, partial(_sections, visit))

    def _ended(self) -> Frame:
        words = self._model.words(self._text)
        features = list(self._model.weights.items())
        features.sort(key=lambda one: -max(map(abs, one[2])))
        columns = [tables.Column(_("Template")), tables.Column(_("Value")), *(tables.Column(tag, 2) for tag in TAGS)]
        rows = [
            tables.Row((template, _shown(value), *(weight / SCALE for weight in four)))
            for template, value, four in features[:HIGHEST]
        ]
        cells = [
            cell(word, "done", "" if id < self._model.unknown_id else "unknown", id=id)
            for word, id in zip(words, self._model.ids(self._text), strict=True)
        ]
        title = _("The highest average weights")
        return tables.section_frame(
            say("training", "tagger_end", features=len(features), words=len(words)),
            {"kind": "words", "words": [well_formed(word) for word in words], "features": len(features)},
            lambda: tables.Sections([tables.Table(title, columns, rows)], read=cells),
        )

    def _all_visits(self) -> tables.Table:
        columns = [tables.Column(_("Round"), 0), tables.Column(_("Sentence")), tables.Column(_("Wrong tags"), 0)]
        rows = [
            tables.Row((visit.round, self._words[visit.number], visit.wrong), step)
            for step, visit in enumerate(self._visits)
        ]
        return tables.Table(_("All sentences of all rounds"), columns, rows, hint=self._ended().sentence)


def _sections(visit: Visit) -> tables.Sections:
    pairs = list(zip(visit.right, visit.found, strict=True))
    tags = tables.Table(
        _("Tags"),
        [tables.Column(_("Character"), kind="head"), tables.Column(_("Correct tag")), tables.Column(_("Found tag"))],
        [
            tables.Row(
                ([Symbol(character)], TAGS[right], TAGS[found]),
                kind="" if right == found else "wrong",
                mark="" if right == found else _("wrong"),
            )
            for character, (right, found) in zip(visit.text[:SHOWN], pairs, strict=False)
        ],
    )
    first = next((at for at, (right, found) in enumerate(pairs) if right != found), None)
    if first is None:
        return tables.Sections([tags])
    right, found = pairs[first]
    values = dict(visit.features(first))
    changed = tables.Table(
        _("Changed weights of “%(character)s”", character=visit.text[first]),
        [
            tables.Column(_("Template")),
            tables.Column(_("Value")),
            tables.Column(TAGS[right]),
            tables.Column(TAGS[found]),
        ],
        [tables.Row((template, _shown(values[template]), "+1", "−1")) for template in TEMPLATES],
    )
    return tables.Sections([tags], [changed])


def _shown(value: str) -> str:
    return value.replace(EDGE, "⟨⟩")
