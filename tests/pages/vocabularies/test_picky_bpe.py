"""A PickyBPE vocabulary on the site: its page, the playground, and no steps that would show something else."""

from __future__ import annotations

from io import BytesIO

from flask.testing import FlaskClient

from webapp.core import recipes
from webapp.core.formats import huggingface
from webapp.core.trainers import picky_bpe

COUNTS = {" could": 90, " loud": 20, " would": 60, " cloud": 31}


def test_a_picky_vocabulary_can_be_used(client: FlaskClient) -> None:
    trained = picky_bpe.train_bytes(COUNTS, 268, threshold=0.6)
    tokenizer = recipes.BYTE_BPE.tokenizer(trained.model)
    file = (BytesIO(huggingface.write(tokenizer).encode()), "tokenizer.json")
    name = client.post("/api/v1/vocabularies", data={"file": file}).get_json()["name"]
    page = client.get(f"/vocabularies/{name}?lang=en")
    assert page.status_code == 200
    assert "PickyBPE" in page.text
    text = "It could be loud."
    found = client.post("/api/v1/tokenize", json={"text": text, "vocabulary": name, "want": ["ids"]})
    assert found.get_json()["ids"] == tokenizer.ids(text)
    playground = client.get(
        "/", query_string={"text": text, "vocabulary": name, "algorithm": "picky-bpe", "lang": "en"}
    )
    assert playground.status_code == 200
    assert "/steps/picky-bpe" not in playground.text
    steps = client.get("/steps/picky-bpe", query_string={"text": text, "vocabulary": name})
    assert steps.status_code == 422
