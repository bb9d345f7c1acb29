"""Processes that compute something for this one and may be killed: trainings.

    child = Child(training.main, task, folder=…, memory=…, disk=…)      calls training.main(task, send) there
    for message in child.messages(): …                                  what it sends
    child.kill()                                                        ends it with all that it has started

The function and its arguments are what the child reads first from its standard input. That stays open: when it ends,
this process is gone, and so the child ends with all its children. Its messages are lines of JSON.

Two limits hold for memory. The kernel refuses a process more than the limit for its data (`RLIMIT_DATA`: of all limits
that the kernel knows, the one that counts what a process may write, not what it only maps). And `webapp.jobs.worker`
adds up the resident memory of a training's session. Where a system lacks a limit, a priority or `/proc`, there is none.
"""

import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
    import resource
except ModuleNotFoundError:  # Windows
    fcntl = resource = None  # type: ignore[assignment]

# What a system may lack (Windows, macOS): without `fork`, each worker of the server loads the site by itself.
HAS_FORK = hasattr(os, "fork") and "forkserver" in multiprocessing.get_all_start_methods()
HAS_PRIORITIES = hasattr(os, "SCHED_IDLE")
HAS_LOCKS = fcntl is not None
GREATEST_NICENESS = 19
# What a process that gives way takes of a processor that others want, too; how long it computes between two looks and
# sleeps at once, in seconds; and the share of the first for which it has to wait where others want the processor.
SHARE, TURN, NAP, CROWDED = 0.12, 0.02, 0.05, 0.25
# The exit code of a child that had no memory left.
NO_MEMORY = 2
# The bytes of the length before the content of a frame, which is what processes of the site send each other.
LENGTH_BYTES = 4
_SECRET = ("DATABASE_URL", "REDIS_URL", "TOKENSCOPE_")  # settings that a child need not know

Message = Mapping[str, Any]
Send = Callable[[Message], None]


class Child:
    """A process that calls one function, in a session of its own, without the settings of the site."""

    def __init__(
        self,
        function: Callable[..., None],
        *arguments: Any,
        folder: Path,
        memory: int,
        disk: int,
    ) -> None:
        """Start it. `function` is one of a module; after `arguments` it gets a function that sends a message.

        Temporary files are in `folder`. The limits of memory and of each file are in bytes.
        """
        code = "from webapp.processes import serve; serve()"
        self._process = subprocess.Popen(
            # Not with -m: processes that count words would import that module again. The name is for process lists.
            [sys.executable, "-c", code, f"{function.__module__}.{function.__qualname__}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it may quote a visitor's text
            env=_environment(folder),
            start_new_session=True,
        )
        self._task = pickle.dumps((function, arguments, (memory, disk)))

    @property
    def pid(self) -> int:
        """The number of the process and of its session."""
        return self._process.pid

    def messages(self) -> Iterator[Any]:
        """Say what to call, and yield the messages of the process until it ends; one that is cut off is left out."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with suppress(OSError, ValueError):
            stdin.write(self._task)
            stdin.flush()
            for line in stdout:
                with suppress(ValueError):
                    yield json.loads(line)

    def wait(self) -> int:
        """Wait until the process has ended; its exit code."""
        return self._process.wait()

    def kill(self) -> int:
        """End the process and all that it has started, and return its exit code."""
        return kill_session(self._process)

    def close(self) -> None:
        """Close the pipes; a process that still runs ends then."""
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError, ValueError):
                if stream is not None:
                    stream.close()


def kill_session(process: subprocess.Popen[bytes]) -> int:
    """End a process that leads a session, and all that it has started; its exit code."""
    if process.returncode is None:  # as long as nobody has waited for it, its number is not another's
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    return process.wait()


def send_frames(stream: IO[bytes], *payloads: bytes) -> None:
    """Write each payload as a frame: its length as four bytes, big-endian, and its content."""
    for payload in payloads:
        stream.write(len(payload).to_bytes(LENGTH_BYTES, "big") + payload)
    stream.flush()


def read_frame(stream: IO[bytes], most: int) -> bytes | None:
    r"""The content of the next frame; None if the stream ends before its end, or if it has more than `most` bytes.

    >>> from io import BytesIO
    >>> read_frame(BytesIO(b"\0\0\0\2ok"), 10), read_frame(BytesIO(b"\0\0\0\2o"), 10)
    (b'ok', None)
    """
    prefix = stream.read(LENGTH_BYTES)
    length = int.from_bytes(prefix, "big")
    if len(prefix) < LENGTH_BYTES or length > most:
        return None
    payload = stream.read(length)
    return payload if len(payload) == length else None


def serve() -> None:
    """In the child: call the function on standard input within the limits; exit with 0, NO_MEMORY or 1."""
    # What libraries print is not mistaken for a message.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def send(message: Message) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    # It ends without ending the interpreter, which would free gigabytes one by one, and abort while the thread waits.
    code = 1
    try:
        function, arguments, limits = pickle.load(sys.stdin.buffer)
        threading.Thread(target=_end_with_parent, daemon=True).start()
        limit_resources(*limits)
        function(*arguments, send)
        code = 0
    except MemoryError:
        code = NO_MEMORY
    finally:
        os._exit(code)


def _end_with_parent() -> None:
    with suppress(OSError, ValueError):
        while sys.stdin.buffer.read(1 << 10):
            pass
    if hasattr(os, "killpg"):
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


def _environment(folder: Path) -> dict[str, str]:
    """The environment of a child: without the site's settings, with its temporary files in `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_SECRET)}
    package = str(Path(__file__).resolve().parents[1])
    return kept | {"TMPDIR": str(folder), "PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": "1"}


def lower(thread: int) -> None:
    """Set the lowest priority of a thread; nothing happens if the system does not allow it.

    With `SCHED_IDLE`, any other thread that wakes up interrupts it at once instead of waiting for the end of its slice
    of time. Next to a thread of a worker, it gets 1 % of a core, or 4 % where only the niceness can be set, and all of
    an idle core either way.
    """
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, thread, GREATEST_NICENESS)
    with suppress(OSError, AttributeError):
        os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))


def give_way() -> None:
    """Let this process sleep whenever it has to wait for a processor, so that it takes `SHARE` of one; call it once.

    A priority cannot do this: nice 19 gets 1 % beside a single busy process, and less beside more, and only processes
    with a privilege can be raised again. The main thread looks after each `TURN` of processor time, and gets up when a
    processor was idle while it slept. Where the system does not say how long threads wait, the process gets the lowest
    priority.
    """
    process, thread = os.getpid(), threading.main_thread().native_id or 0
    before = thread_times(process, thread)
    if before is None or not hasattr(signal, "setitimer"):
        lower(thread)
        return

    def look(_signal: int, _frame: object) -> None:
        nonlocal before
        (used, waited), now = before or (0.0, 0.0), thread_times(process, thread) or (0.0, 0.0)
        used, waited = now[0] - used, now[1] - waited
        if waited > CROWDED * used:
            until, idle = time.monotonic() + used / SHARE - used - waited, idle_seconds()
            while time.monotonic() < until and idle_seconds() - idle < NAP / 2:  # in each nap
                idle = idle_seconds()
                time.sleep(NAP)
        before = thread_times(process, thread)

    signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, TURN, TURN)


def limit_resources(memory: int, disk: int) -> None:
    """Limit the data of this process, and of each child, and the size of the files that it writes."""
    limits = {"DATA": (memory, memory), "FSIZE": (disk, disk), "CORE": (0, 0)}
    for name, limit in limits.items():
        with suppress(OSError, ValueError, AttributeError):  # a lower limit is in force already
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), limit)
    with suppress(OSError):  # if the machine has no memory left, the kernel ends these processes first
        Path("/proc/self/oom_score_adj").write_text("1000")


def resident_bytes(process: int | str = "self") -> int:
    """The resident memory of a process in bytes, including shared pages; 0 if the system does not report it."""
    pages = _fields(process, "statm")[1]
    return pages * os.sysconf("SC_PAGE_SIZE") if pages else 0


def memory(process: int) -> tuple[int, int]:
    """The memory of a process in bytes: its share of what several processes use, and all that is resident."""
    resident = resident_bytes(process)
    return bytes_in(process, "smaps_rollup", "Pss:") or resident, resident


def bytes_in(process: int | str, file: str, names: str) -> int:
    """The sum of the lines of a file about a process that begin with `names`, in bytes; 0 where there is none."""
    with suppress(OSError):
        lines = Path("/proc", str(process), file).read_text().splitlines()
        return sum(1024 * int(line.split()[1]) for line in lines if line.startswith(names))
    return 0


def processor_seconds(session: int) -> float:
    """The processor time of all processes of a session, and of those that have ended; 0 where the system does not say.

    A process that has ended counts with its parent, which has waited for it.
    """
    ticks = sum(sum(_fields(process, "stat")[11:15]) for process in processes_of(session))
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0


def thread_times(process: int | None, thread: int) -> tuple[float, float] | None:
    """How long a thread has used a processor and waited for one, in seconds; None if it has ended."""
    try:
        used, waited, _ = Path(f"/proc/{process}/task/{thread}/schedstat").read_text().split()
    except (OSError, ValueError):
        return None
    return int(used) / 1e9, int(waited) / 1e9


def idle_seconds() -> float:
    """How long the processors of this machine have been idle, together; 0 where the system does not tell."""
    try:
        return int(Path("/proc/stat").read_text().split(maxsplit=5)[4]) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0


def processes_of(session: int) -> list[int]:
    """The processes of a session; none where the system does not tell."""
    found = []
    with suppress(OSError):
        for name in filter(str.isdecimal, os.listdir("/proc")):
            with suppress(OSError):  # it may end at any moment
                if os.getsid(int(name)) == session:
                    found.append(int(name))
    return found


def _fields(process: int | str, file: str) -> list[int]:
    """The numbers in a file of a process, after its name and state; zeros if it has ended."""
    try:
        content = Path("/proc", str(process), file).read_text()
    except OSError:
        return [0] * 15
    return [int(field) if field.lstrip("-").isdecimal() else 0 for field in content.rpartition(")")[2].split()]


@cache
def has_proc() -> bool:
    """Whether the system tells about its processes under `/proc`."""
    try:
        return bool(Path("/proc/self/schedstat").read_text())
    except OSError:
        return False


def lacking() -> str:
    """What this system lacks, as a sentence for the log; empty if it has everything."""
    has = {"fork": HAS_FORK, "SCHED_IDLE": HAS_PRIORITIES, "/proc": has_proc()}
    names = [name for name, is_there in has.items() if not is_there]
    if not names:
        return ""
    return (
        f"This system has no {', no '.join(names)}. The site runs without what needs it: memory that workers share, "
        "low priorities of heavy requests and trainings, limits of memory."
    )


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def locked(folder: Path) -> int | None:
    """The open lock of a folder, which the system releases when its process ends; None if another has it.

    Raises OSError if it cannot be opened. Where the system has no such locks, everybody gets one.
    """
    if not HAS_LOCKS:
        return os.open(os.devnull, os.O_RDONLY)
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock
