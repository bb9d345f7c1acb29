"""What each worker process of this machine does first."""

import signal


def dask_setup(_: object) -> None:
    """Ignore Ctrl+C, which a terminal sends to all processes: the one that started the workers stops them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
