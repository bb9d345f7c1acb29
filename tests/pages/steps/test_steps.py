"""The step pages of the algorithms: an address for each step, and their limits."""

import html
import re

import pytest
from flask.testing import FlaskClient

from tests.pages.steps import told
from tests.site import HTMX, Page

TEXT = "结婚的和尚未结婚的"


def test_every_step_has_an_address_and_a_sentence(client: FlaskClient) -> None:
    address, query = "/steps/fmm", {"text": TEXT, "lang": "en"}
    twin = client.get(address, query_string={**query, "format": "json"}).get_json()
    assert len(twin["steps"]) > 3
    for step in twin["steps"]:
        page = client.get(address, query_string={**query, "step": step["step"]})
        assert page.status_code == 200
        # Step 0, the preparation, has no picture: addresses with it show the first decision.
        number = max(1, step["step"])
        assert told(page.text) == twin["steps"][number]["sentence"]
        assert f'aria-label="Step {number} of {len(twin["steps"]) - 1}"' in page.text
        assert twin["steps"][0]["sentence"] in page.text
        assert '<svg class="diagram' in page.text


def test_all_steps_are_listed_in_a_table(client: FlaskClient) -> None:
    asked = {"text": TEXT, "lang": "en"}
    steps = client.get("/steps/fmm", query_string={**asked, "format": "json"}).get_json()["steps"]
    page = client.get("/steps/fmm", query_string={**asked, "format": "table"}).text
    rows = re.findall(r'(?s)<td class="end"><a href="([^"]+)">\d+</a></td><td>(.*?)</td>', page)
    sentences = [html.unescape(re.sub(r"<[^>]*>", "", sentence)) for _address, sentence in rows]
    assert sentences == [step["sentence"] for step in steps[1:]]
    assert client.get(html.unescape(rows[-1][0])).status_code == 200
    assert "format=table" in client.get("/steps/fmm", query_string=asked).text


def test_htmx_gets_the_walkthrough_alone(client: FlaskClient) -> None:
    answer = client.get("/steps/fmm", query_string={"text": TEXT, "step": 2}, headers=HTMX)
    assert "<html" not in answer.text
    assert answer.headers["HX-Replace-Url"].endswith("&step=2")


@pytest.mark.parametrize(
    ("query", "status", "message", "offer"),
    [
        ({"text": "It rains. " * 21}, 413, "The text has 210 characters; steps are shown for up to 200.", "It+rains."),
        ({"text": TEXT, "step": "99"}, 404, "There is no step 99: this text has steps 1 to 7.", "/steps/fmm?"),
        ({"text": TEXT, "token": "1" * 30}, 404, "There is no token 111,111,111,111,111", "/steps/fmm?"),
        ({"text": TEXT, "step": "1" * 40}, 422, "is not a step number", "/steps/fmm?"),
        ({"text": TEXT, "token": "-1"}, 422, "Tokens are counted from 0.", "/steps/fmm?"),
        ({"text": TEXT, "vocabulary": "nope"}, 404, "There is no vocabulary “nope”", ""),
    ],
)
def test_errors_have_a_message_and_a_way_on(
    client: FlaskClient, query: dict[str, str], status: int, message: str, offer: str
) -> None:
    answer = client.get("/steps/fmm", query_string={**query, "lang": "en"})
    assert answer.status_code == status
    page = Page(answer.text)
    assert message in page.problems[0]
    assert page.box == "\n" + query["text"]
    assert offer in answer.text
    told = client.get("/steps/fmm", query_string={**query, "lang": "en", "format": "json"})
    assert told.status_code == status
    assert message in told.get_json()["detail"]


def test_a_vocabulary_of_another_algorithm_is_refused_with_links_to_valid_steps(client: FlaskClient) -> None:
    query = {"text": "lower", "vocabulary": "wordpiece", "lang": "en"}
    answer = client.get("/steps/bpe", query_string=query)
    assert answer.status_code == 422
    assert "is a vocabulary for WordPiece and cannot be used with BPE." in Page(answer.text).problems[0]
    offers = [html.unescape(found) for found in re.findall(r'<a class="btn" href="(/steps/[^"]+)">Use ', answer.text)]
    assert [offer.partition("?")[0] for offer in offers] == ["/steps/wordpiece", "/steps/bpe"]
    for offer in offers:
        assert client.get(offer).status_code == 200


def test_the_form_redirects_to_its_address(client: FlaskClient) -> None:
    sent = {"text": TEXT, "vocabulary": "jieba", "runs": "0"}
    answer = client.post("/steps/fmm", data=sent)
    assert answer.status_code == 303
    sent_on = client.get(answer.headers["Location"] + "&format=json")
    assert sent_on.get_json() == client.get("/steps/fmm", query_string={**sent, "format": "json"}).get_json()


def test_what_is_too_long_for_an_address_is_refused(client: FlaskClient) -> None:
    answer = client.post("/steps/bmm", data={"text": "今天下雨。带伞！" * 20_000, "lang": "en"})
    assert answer.status_code == 413
    assert answer.text.count("带伞") == 20_000  # in the text box, and in no link
    sent = {"text": "词语", "vocabulary": "own-dictionary", "dictionary": "词\n" * 2_000, "lang": "en"}
    answer = client.post("/steps/fmm", data=sent)
    assert answer.status_code == 413
    assert "is too long for a URL" in Page(answer.text).problems[0]


@pytest.mark.parametrize(
    ("path", "query"),
    [("/steps/bpe", "text=lower&step=2"), ("/steps/training/bpe", "corpus=low+5+lower+2&step=2")],
)
def test_steps_are_shown_in_frames_of_other_sites(client: FlaskClient, path: str, query: str) -> None:
    page = client.get(f"{path}?{query}&lang=en")
    assert page.headers["X-Frame-Options"] == "DENY"
    fields = dict(re.findall(r'id="(step-link|step-frame)" readonly value="([^"]*)"', page.text))
    link = html.unescape(fields["step-link"])
    address = html.unescape(re.search(r'src="(.*?)"', html.unescape(fields["step-frame"]))[1])  # type: ignore[index]
    assert told(client.get(link).text) == told(page.text)
    framed = client.get(address)
    assert "X-Frame-Options" not in framed.headers
    assert "frame-ancestors" not in framed.headers["Content-Security-Policy"]
    assert told(framed.text) == told(page.text)
    assert '<header class="top">' not in framed.text
    # Its player stays in the frame, and its link leads to the whole page.
    following = html.unescape(re.search(r'href="([^"]*)" rel="next"', framed.text)[1])  # type: ignore[index]
    assert following.startswith(f"{path}/embed?")
    assert client.get(following).status_code == 200
    assert re.search(r'class="btn" href="([^"?]*)[^"]*" target="_blank"', framed.text)[1] == path  # type: ignore[index]


def test_the_overview_lists_each_text_once_and_begins_with_what_readers_look_for(client: FlaskClient) -> None:
    for language, first in (("en", "/steps/bpe?"), ("zh", "/steps/fmm?")):
        cards = client.get(f"/steps?lang={language}").text.split('<li class="card-of-steps">')[1:]
        assert f'class="whole" href="{first}' in cards[0]
        for card in cards:
            texts = re.findall("<bdi>(.+?)</bdi>", card)
            assert len(texts) == len(set(texts))


def test_the_hmm_has_an_address(client: FlaskClient) -> None:
    page = client.get("/steps/hmm?lang=en", follow_redirects=True)
    assert page.status_code == 200
    assert page.request.path == "/steps/max-probability"
    assert 'aria-current="page">HMM</a>' in page.text
    assert "杭" in told(page.text)
