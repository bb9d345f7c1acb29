"""Connects to workers: processes of this machine, or those of a Dask cluster."""

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import dask
from dask.utils import parse_bytes
from distributed import Client, LocalCluster

from webapp.cluster.sources import ClusterError, sentence
from webapp.core import __version__
from webapp.processes import processors

SECONDS_TO_CONNECT = 20
SECONDS_WITHOUT_WORKERS = 120
WORKER_MEMORY = "1GiB"
ANY_PORT = "127.0.0.1:0"  # two trainings can run at the same time; nothing is reached from other machines


@contextmanager
def of_this_machine(processes: int | None = None, memory: str = WORKER_MEMORY) -> Iterator[Client]:
    """Start worker processes, one for each processor by default, and stop them at the end.

    `memory` is the most of each worker: above 60 % of it results go to the disk, above 95 % the worker restarts.
    Raises ClusterError if it is not a size.
    """
    count = processes or processors()
    try:
        limit = parse_bytes(memory)
    except ValueError:
        raise ClusterError(f"{memory} is not a size; write 1GiB or 1500MB") from None
    with (
        # Dask does not restart a worker that ends while it starts: without any, tasks would wait forever.
        dask.config.set({"distributed.scheduler.no-workers-timeout": SECONDS_WITHOUT_WORKERS}),
        LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            memory_limit=limit,
            dashboard_address=ANY_PORT,
            worker_dashboard_address=ANY_PORT,
            silence_logs=logging.CRITICAL,
            preload="webapp.cluster.workers",
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def dask_setup(_: object) -> None:
    """Ignore Ctrl+C in each worker: a terminal sends it to all processes, and the one that started them stops them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def of_cluster(address: str) -> Iterator[Client]:
    """Connect to the scheduler at an address such as `tcp://10.0.0.1:8786`.

    Raises ClusterError if it does not answer, has no workers, or its workers have another release of Tokenscope.
    """
    try:
        client = Client(address, timeout=SECONDS_TO_CONNECT)
    except (OSError, TimeoutError, ValueError, ImportError) as error:
        raise ClusterError(f"there is no Dask scheduler at {address}: {sentence(error)}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=SECONDS_TO_CONNECT)
        except TimeoutError:
            raise ClusterError(f"the scheduler at {address} has no workers") from None
        _check(client)
        yield client


def _check(client: Client) -> None:
    try:
        releases = client.run(_release)
    except ImportError as error:
        raise ClusterError(f"Tokenscope {__version__} must be installed on all workers: {sentence(error)}") from None
    for worker, found in releases.items():
        if found != __version__:
            raise ClusterError(f"Tokenscope {__version__} must be installed on all workers: {worker} has {found}")


def _release() -> str:
    from webapp.core import __version__

    return __version__
