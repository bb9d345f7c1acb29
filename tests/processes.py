"""The memory of processes, from `/proc`."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def descendants(process: int) -> Iterator[int]:
    """Yield the processes that a process has started, and those that they have started."""
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # it has ended
            for child in map(int, task.read_text().split()):
                yield child
                yield from descendants(child)


def workers_of(server: int) -> list[int]:
    """Return the workers of a site: the processes that its fork server has forked."""
    forked = [(child, _command(child)) for child in descendants(server)]
    servers = [child for child, command in forked if "multiprocessing.forkserver" in command]
    return sorted(set(servers[1:]))


def own_bytes(process: int) -> int:
    """Return the memory that belongs to a process alone, in bytes."""
    return _sum(process, "Private_")


def proportional_bytes(process: int) -> int:
    """Return the memory of a process, with its share of what it has in common with others (PSS), in bytes."""
    return _sum(process, "Pss:")


def resident_bytes(process: int) -> int:
    """Return the resident memory of a process in bytes, with what it shares."""
    return _status(process, "VmRSS")


def peak_bytes(process: int) -> int:
    """Return the most resident memory that a process has had since `forget_peak`, in bytes."""
    return _status(process, "VmHWM")


def forget_peak(process: int) -> None:
    """Let the peak of a process begin at what it has now."""
    Path(f"/proc/{process}/clear_refs").write_text("5")


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def _sum(process: int, beginning: str) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith(beginning))


def _status(process: int, name: str) -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)
