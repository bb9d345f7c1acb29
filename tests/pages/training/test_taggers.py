"""The training of a tagger, sentence by sentence."""

from flask.testing import FlaskClient

from tests.site import Page
from webapp.core.reference.tagger import tags_of, viterbi
from webapp.pages.training.trainings import PRESETS


def test_every_visit_has_its_tags_and_the_end_has_the_words(client: FlaskClient) -> None:
    ((_title, preset),) = PRESETS["tagger"]
    with client.application.test_request_context():
        address = preset.address()
    steps = client.get(f"{address}&format=json").json["steps"]
    *visits, end = steps
    assert len(visits) == 2 * len(preset.corpus.splitlines())  # of two rounds, the second has no mistakes
    first = visits[0]
    assert list(first["right"]) == tags_of(first["words"])
    assert list(first["found"]) == viterbi("".join(first["words"]), {})
    assert sum(right != found for one in visits for right, found in zip(one["right"], one["found"], strict=True)) == 12
    assert all(visit["right"] == visit["found"] for visit in visits[5:])
    assert end["words"] == ["同学", "的", "爸爸", "来到", "天津"]
    page = client.get(f"{address}&step=0&lang=en").text
    wrong = sum(right != found for right, found in zip(first["right"], first["found"], strict=True))
    assert f"{wrong} of {len(first['right'])} tags are wrong" in page
    assert (
        f"all {len(visits[-1]['right'])} tags are right" in client.get(f"{address}&step={len(visits) - 1}&lang=en").text
    )
    assert page.count('<span class="mark">wrong</span>') == page.count("<tr class=wrong>") == wrong
    assert Page(client.get("/steps/training/tagger?corpus=///&lang=en").text).problems
