"""What went wrong with a training, each as one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from webapp.command_line.inputs import InputError

CORPUS = {
    "empty": "the corpus has no text",
    "not_utf8": "{file}: not valid UTF-8 at byte {offset}",
    "bad_json": "{file}, line {line}: not valid JSON",
    "no_field": "{file}, line {line}: there is no text in {field!r}; name the field or column with --field",
    "long_line": "{file}, line {line}: longer than {limit} bytes",
    "damaged": "{file}: the file is damaged or incomplete",
    "too_large": "the corpus is larger than {limit} bytes",
    "unreadable": "{file}: cannot be read; on a cluster, all workers must be able to read it",
}
TRAINING = {
    "too_small": "the corpus makes {possible} pieces possible; choose a lower --size, or add text",
    "alphabet": "the alphabet alone needs {needed} pieces; choose a higher --size, or a lower --coverage",
    "process_lost": "the system ended a process that counts, usually because memory ran out; use fewer --workers",
    "unsegmented": "no spaces or / between words; choose --segmentation max-probability or fmm",
    "slow_pattern": "--pattern takes too long on this text; choose a simpler one",
}


class ArgumentError(Exception):
    """An argument that cannot be used; the message says what to change."""


@contextmanager
def explained() -> Iterator[None]:
    """Raise the errors of a training as ArgumentError (what was asked for) or InputError (what is in the corpus)."""
    from webapp.cluster.errors import ClusterError, SourceError
    from webapp.core.training.corpus import CorpusError
    from webapp.core.training.counting import TrainingError
    from webapp.core.training.plan import PlanError

    try:
        yield
    except PlanError as error:
        option = "algorithm" if error.field == "trainer" else error.field.replace("_", "-")
        raise ArgumentError(f"--{option}: {error}") from None
    except (SourceError, ClusterError) as error:
        raise ArgumentError(str(error)) from None
    except TrainingError as error:
        raise ArgumentError(_sentence(TRAINING, error)) from None
    except CorpusError as error:
        raise InputError(_sentence(CORPUS, error)) from None
    except MemoryError:
        raise InputError("not enough memory; --drop-rarer-than 2 halves what is needed, about") from None
    except OSError as error:
        raise InputError(f"{error.filename or 'the disk'}: {error.strerror or error}") from None


def _sentence(sentences: dict[str, str], error: Any) -> str:
    return sentences[error.code].format(**error.details) if error.code in sentences else str(error)
