"""Whether the characters of a corpus fit into the vocabulary that a visitor asked for."""

from __future__ import annotations

from flask_babel import gettext as _

from webapp.pages.training.request import MOST_PIECES, TrainingRequest
from webapp.pages.walkthrough.walkthrough import NoStepsError
from webapp.web.localization import number


def check_room(asked: TrainingRequest, characters: int) -> None:
    """Raise NoStepsError if so many different characters, each of them a piece, are too many."""
    if characters > MOST_PIECES:
        message = _(
            "The corpus has %(count)s different characters, and each is a piece; training is shown for up to "
            "%(most)s pieces.",
            count=number(characters),
            most=number(MOST_PIECES),
        )
        raise NoStepsError(message)
    if asked.size is not None and asked.size < characters:
        message = _(
            "The corpus has %(count)s different characters, each of which is kept. Choose at least %(count)s pieces.",
            count=number(characters),
        )
        raise NoStepsError(message)
