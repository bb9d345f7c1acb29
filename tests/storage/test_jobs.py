"""The table of jobs on both databases: who may run what, and how often."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from webapp.core.training.plan import Progress, TrainingPlan
from webapp.core.training.survey import CorpusFacts
from webapp.storage import Failure, Job, JobStore, Storage, TooManyJobsError
from webapp.storage.engine import Database
from webapp.storage.tables import JobRow

FACTS = CorpusFacts(1_000_000, 900_000, 200_000, 30_000, (("Latin", 0.7), ("Han", 0.3)), 50_000, True)
NAME = "upload-0123456789abcdef"
PLAN = TrainingPlan(trainer="unigram", size=500, special_tokens=("<|end|>",))


@pytest.fixture
def store(storage: Storage) -> JobStore:
    return storage.jobs


def add(store: JobStore, visitor: str = "a", corpus: str = "c") -> Job:
    return store.add(PLAN, corpus, FACTS, ["news \0 名.txt"], visitor)


def claim(store: JobStore, id: str) -> str:
    holder = store.claim(id)
    assert holder is not None
    return holder


def find(store: JobStore, id: str) -> Job:
    job = store.find(id)
    assert job is not None
    return job


def test_a_job_waits_runs_and_finishes_and_nothing_of_its_visitor_stays(store: JobStore, database: Database) -> None:
    job = add(store, "the visitor")
    assert (job.state, job.plan, job.facts, job.file_names) == ("waiting", PLAN, FACTS, ("news \0 名.txt",))
    assert len(job.id) == 22
    assert job == find(store, job.id)
    holder = claim(store, job.id)
    progress = Progress("train", 5, 10, 300, ("\ud800", "\0", "中"), ((300, 1.5),))
    assert store.beat(job.id, holder, progress, {"count": 1.5})
    running = find(store, job.id)
    assert (running.state, running.attempts, running.progress) == ("running", 1, progress)
    assert running.stage_seconds == {"count": 1.5}
    assert store.finish(job.id, holder, NAME, {"pieces": 500})
    finished = find(store, job.id)
    assert (finished.state, finished.vocabulary, finished.record) == ("finished", NAME, {"pieces": 500})
    assert finished.started is not None
    assert finished.ended is not None
    assert job.created <= finished.started <= finished.ended
    with database.read() as connection:
        assert "the visitor" not in str(connection.execute(JobRow.__table__.select()).one())


@pytest.mark.parametrize("waiting", [1, 3])
def test_of_a_visitors_jobs_one_is_taken_up_once(store: JobStore, waiting: int) -> None:
    ids = [add(store).id for _ in range(waiting)]
    with ThreadPoolExecutor(6) as pool:
        holders = list(pool.map(store.claim, ids * (6 // waiting)))
    assert len([holder for holder in holders if holder]) == 1
    assert sum(find(store, id).attempts for id in ids) == 1


def test_a_visitor_has_one_running_and_three_waiting_jobs(store: JobStore) -> None:
    ids = [add(store).id for _ in range(4)]
    assert [store.place(id) for id in ids] == [0, 1, 2, 3]
    claim(store, ids[0])
    with pytest.raises(TooManyJobsError) as caught:
        add(store)
    assert (caught.value.running, caught.value.waiting) == (1, 3)
    assert store.claim(ids[1]) is None, "only one of a visitor's jobs runs"
    other = add(store, "b").id
    assert store.next() == [other]
    claim(store, other)
    assert store.cancel(ids[0])
    assert store.next() == [ids[1]]
    claim(store, ids[1])
    add(store)


def test_a_worker_that_was_given_up_changes_nothing(store: JobStore) -> None:
    id = add(store).id
    lost = claim(store, id)
    (holder, beat) = store.beats()[id]
    assert store.beat(id, lost, None, {})
    assert not store.give_up(id, holder, beat), "it gave a sign of life"
    (holder, beat) = store.beats()[id]
    assert store.give_up(id, holder, beat)
    assert find(store, id).state == "waiting"
    second = claim(store, id)
    assert not store.beat(id, lost, None, {})
    assert not store.put_back(id, lost)
    assert not store.fail(id, lost, Failure("time"))
    assert not store.finish(id, lost, NAME, {})
    assert find(store, id).state == "running"
    assert store.finish(id, second, NAME, {})


def test_a_job_that_is_lost_three_times_fails_but_may_be_put_back_more_often(store: JobStore) -> None:
    id = add(store).id
    for _ in range(5):
        assert store.put_back(id, claim(store, id))
    job = find(store, id)
    assert (job.state, job.attempts, job.started, job.progress) == ("waiting", 0, None, None)
    for _ in range(3):
        claim(store, id)
        assert store.give_up(id, *store.beats()[id])
    job = find(store, id)
    assert (job.state, job.failure) == ("failed", Failure("lost", {"attempts": 3}))
    assert store.claim(id) is None


def test_a_cancelled_job_is_never_taken_up_or_finished(store: JobStore) -> None:
    waiting, running = add(store, "a").id, add(store, "b").id
    holder = claim(store, running)
    for id in (waiting, running):
        assert store.cancel(id)
        assert not store.cancel(id)
        assert find(store, id).state == "cancelled"
        assert store.claim(id) is None
    assert not store.beat(running, holder, None, {})
    assert not store.finish(running, holder, NAME, {})


def test_jobs_that_nobody_takes_up_fail_and_those_that_came_to_nothing_are_deleted(
    store: JobStore, database: Database
) -> None:
    ids = [add(store, visitor).id for visitor in "abcd"]
    store.finish(ids[1], claim(store, ids[1]), NAME, {})
    store.cancel(ids[2])
    long_ago = datetime.now(UTC) - timedelta(days=100)
    with database.write() as connection:
        connection.execute(update(JobRow).where(JobRow.id.in_(ids[:3])).values(created=long_ago))
        connection.execute(update(JobRow).where(JobRow.ended.is_not(None)).values(ended=long_ago))
    store.expire(86_400)
    assert find(store, ids[0]).failure == Failure("expired")
    assert find(store, ids[1]).state == "finished", "its address is a link that lasts"
    assert store.find(ids[2]) is None
    assert find(store, ids[3]).state == "waiting"
