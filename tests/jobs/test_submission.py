"""What a visitor may store and submit."""

from __future__ import annotations

import io

from flask import Flask

from tests.jobs.running import submit
from webapp.jobs import jobs_of
from webapp.jobs.submission import MOST_IDLE_CORPORA


def test_a_visitor_has_few_corpora_that_no_training_needs(site_of_jobs: Flask) -> None:
    jobs = jobs_of(site_of_jobs)

    def upload(visitor: str) -> str:
        id = jobs.new_corpus(visitor)
        jobs.corpora.add(id, "corpus.txt", io.BytesIO(b"low lower lowest"))
        return id

    needed, other = submit(site_of_jobs).corpus, upload("192.0.2.2")
    uploaded = [upload("192.0.2.1") for _ in range(MOST_IDLE_CORPORA + 2)]
    kept = [id for id in uploaded if jobs.corpora.files(id)]
    assert kept == uploaded[-MOST_IDLE_CORPORA:]
    assert jobs.corpora.files(needed)
    assert jobs.corpora.files(other)
