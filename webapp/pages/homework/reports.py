"""Reports of students: read, their signatures checked, and side by side for the teacher."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from flask_babel import gettext as _
from werkzeug.datastructures import FileStorage

from webapp.tokenization.forms import InputProblem
from webapp.tools.homework.records import MOST_BYTES, ForgedError, Record, UnreadableError, Work, opened
from webapp.web.localization import number

MOST_REPORTS = 200
MOST_TOGETHER = 5_000_000  # characters of all reports of one page, which the form keeps


@dataclass(frozen=True)
class ReadReport:
    """A report as it arrived; `record` is None for one that is `wrong`: edited after signing, or no report."""

    name: str
    document: str
    record: Record | None = None
    wrong: str = ""

    @property
    def student(self) -> str:
        """The student's name, or that of the file."""
        return self.record.student if self.record and self.record.student else self.name


@dataclass(frozen=True)
class Reports:
    """The reports of several students; `sheet` is the id of a sheet, if there is one, and `order` its exercises."""

    read: Sequence[ReadReport]
    order: Mapping[str, str]
    sheet: str = ""

    def condition(self, report: ReadReport) -> str:
        """`valid`, `other-sheet` if it was made for another sheet or for none, or what is wrong with it."""
        if report.record is None:
            return report.wrong
        return "other-sheet" if self.sheet and report.record.sheet != self.sheet else "valid"

    @cached_property
    def exercises(self) -> dict[str, str]:
        """The titles of all exercises by their names: those of the sheet, then those that a report has besides."""
        found = dict(self.order)
        for report in self.valid:
            found |= {work.exercise: work.title for work in report.works if work.exercise not in found}
        return found

    @property
    def valid(self) -> list[Record]:
        """The reports that the site signed."""
        return [each.record for each in self.read if each.record]

    def twins(self, report: ReadReport) -> list[str]:
        """Other names under which the same record was handed in."""
        if report.record is None:
            return []
        same = {other.student for other in self.read if other.record and other.record.id == report.record.id}
        return sorted(same - {report.student})

    @property
    def hardest(self) -> tuple[str, int, Work] | None:
        """The exercise that most have not right, how many, and one of the most frequent place."""
        works = (work for record in self.valid for work in record.works if not work.is_right)
        wrong = [(work, work.last) for work in works if work.last]
        if not wrong:
            return None
        name, count = Counter(work.exercise for work, _last in wrong).most_common(1)[0]
        places = Counter(last.place for work, last in wrong if work.exercise == name)
        most = places.most_common(1)[0][0]
        work = next(one for one, last in wrong if one.exercise == name and last.place == most)
        return self.exercises[name], count, work

    def rows(self) -> Iterator[list[object]]:
        """The table as CSV, the header first: the outcome of each exercise, with its tries and the place."""
        yield ["student", "written", "signature", *(self.exercises.values())]
        for report in self.read:
            record = report.record or Record("")
            cells = (_cell(record.work(name)) for name in self.exercises)
            yield [report.student, record.written, self.condition(report), *cells]


def _cell(work: Work) -> str:
    place = f" @{work.last.place}" if work.last and work.last.place and not work.is_right else ""
    return f"{work.outcome}{place} ({work.count})" if work.count else ""


def read_reports(kept: Sequence[str], files: Iterable[FileStorage]) -> list[ReadReport]:
    """The reports that the form has and those in files, each once; raises InputProblem if there are too many."""
    documents = dict.fromkeys(filter(str.strip, kept), "")
    for file in files:
        if file.filename:
            content = file.stream.read(MOST_BYTES + 1)
            documents.setdefault(content.decode("utf-8", "replace"), file.filename)
    if len(documents) > MOST_REPORTS or sum(map(len, documents)) > MOST_TOGETHER:
        limits = {"most": number(MOST_REPORTS), "size": number(MOST_TOGETHER // 1_000_000)}
        message = _("At most %(most)s reports of together %(size)s MB can be read at once.", **limits)
        raise InputProblem(message, 413, "files")
    return [_read(name, document) for document, name in documents.items()]


def _read(name: str, document: str) -> ReadReport:
    try:
        return ReadReport(name, document, opened(document))
    except ForgedError as error:
        return ReadReport(str(error) or name, document, wrong="edited")
    except UnreadableError:
        return ReadReport(name, document, wrong="unreadable")
