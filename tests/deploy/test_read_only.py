"""The installed wheel as a container runs it: another user, no privileges, and one folder that can be written."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.serving import ROOT, Answer, ask, free_port, is_healthy
from tests.visiting import until
from webapp import create_app

pytestmark = [pytest.mark.exhaustive, pytest.mark.timeout(400)]

USER = "10001"
# Makes everything read-only in a mount namespace of its own, except the folder and one for temporary files. The
# interpreter may be in a folder that only root may enter; then an empty one stands in for what is above it.
PREPARE = """
set -e
mount --bind {folder} {folder}
if ! setpriv --reuid={user} --regid={user} --clear-groups test -x {python}; then
    mount --bind {prefix} /media
    mount -t tmpfs -o mode=755 tmpfs {private}
    mkdir -p {prefix}
    mount --move /media {prefix}
    mount -o remount,ro {private}
fi
mount -o remount,bind,ro /
mount -t tmpfs -o mode=1777 tmpfs {tmp}
cd {folder}
exec setpriv --reuid={user} --regid={user} --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "$@"
"""


class Box:
    """A site in a file system that it cannot write, with `data` for what it stores."""

    def __init__(self, package: Path, data: Path) -> None:
        self.data = data
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._package = package
        self._tmp = data / "tmp"
        self._tmp.mkdir()
        os.chown(data, int(USER), int(USER))

    def start(self, *command: str) -> subprocess.Popen[str]:
        """Start a command of the site's Python in the box."""
        prefix = Path(sys.base_prefix)
        names = {"folder": self.data, "tmp": self._tmp, "user": USER, "python": Path(sys.executable).resolve()}
        names |= {"prefix": prefix, "private": Path(*prefix.parts[:2])}
        script = PREPARE.format(**{name: shlex.quote(str(value)) for name, value in names.items()})
        namespace = ["unshare", "--mount", "--propagation", "private", "bash", "-c", script, "box"]
        environment = {
            "PATH": os.environ["PATH"],
            "PORT": str(self.port),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(self._package),
            "PYTHONSAFEPATH": "1",
            "TMPDIR": str(self._tmp),
            "TOKENSCOPE_CORPUS_FOLDER": f"{self.data}/corpora",
            "TOKENSCOPE_DATABASE_FILE": f"{self.data}/tokenscope.sqlite",
            "TOKENSCOPE_HUB": "https://127.0.0.1:9",
            "TOKENSCOPE_RATE_READING": "",
            "TOKENSCOPE_RATE_STORING": "",
            "TOKENSCOPE_CONSTANTS": '{"TRAIN_GENTLY": false}',
            "TOKENSCOPE_VOCABULARY_FOLDER": f"{self.data}/vocabularies",
            "WEB_CONCURRENCY": "2",
        }
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen(
            [*namespace, sys.executable, *command], env=environment, text=True, start_new_session=True, **pipes
        )

    def run(self, *command: str) -> tuple[int, str]:
        """Run a command in the box; return its exit code and what it says."""
        process = self.start(*command)
        said, _ = process.communicate(timeout=120)
        return process.returncode, said

    def ask(self, path: str, **form: str) -> Answer:
        """Send a request, with values as a form, and follow a redirect after it."""
        answer = ask(self.address, path, form or None)
        return self.ask(answer.headers["Location"]) if answer.status in (302, 303, 308) else answer


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    """Install a wheel, and serve the site from it."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        pytest.skip("only root can make a file system read-only, and not in every container")
    # Not in pytest's own folder, which other users may not enter.
    with tempfile.TemporaryDirectory(prefix="tokenscope-box-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        package, data = folder / "package", folder / "data"
        data.mkdir()
        options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--target", package]
        subprocess.run([sys.executable, "-m", "pip", "install", *options, ROOT], check=True)
        box = Box(package, data)
        process = box.start("-m", "webapp")
        try:
            until(lambda: is_healthy(box.address) or process.poll() is not None, 120, lambda: "The site did not start.")
            yield box
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(60)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            sys.stderr.write(process.communicate()[0])
        shutil.rmtree(data)


def test_nothing_but_its_folder_can_be_written(box: Box) -> None:
    attempt = "import os, sys, tempfile, webapp; open(os.path.join(sys.argv[1], 'x'), 'w').close()"
    for place, reason in ((str(box.data), ""), ("/var/tmp", "Read-only file system"), ("/etc", "Read-only")):
        status, said = box.run("-c", attempt, place)
        assert (status == 0, reason in said) == (not reason, True), said
    (box.data / "x").unlink()


def test_every_page_answers_and_doctor_finds_nothing(box: Box) -> None:
    rules = [each for each in create_app().url_map.iter_rules() if not each.arguments and "GET" in (each.methods or ())]
    statuses = {rule.rule: box.ask(rule.rule).status for rule in rules}
    wrong = {path: status for path, status in statuses.items() if status >= 400 and status != 404}
    assert wrong == {}
    assert list(statuses.values()).count(200) > 30
    assert box.run("-m", "webapp.server.healthcheck", "--ready") == (0, "")
    status, said = box.run("-m", "webapp.command_line", "doctor")
    assert (status, "  fail  " in said) == (0, False), said


def test_what_visitors_store_and_long_texts_find_room(box: Box) -> None:
    assert box.ask("/share", text="low lower", algorithm="bpe").status == 201
    assert box.ask("/", text="a longer text than one frame " * 50_000, algorithm="bpe").status in (200, 413)
    message = {"role": "user", "content": "Hi", "extra": "", "reply": "1"}
    answer = box.ask("/messages", **message, template="chatml", vocabulary="bpe-bytes")
    assert (answer.status, "im_start" in answer.text) == (200, True)


def test_a_training_runs_to_its_end(box: Box) -> None:
    text = " ".join(str(number) for number in range(3_000))
    body = f'--part\r\nContent-Disposition: form-data; name="text"\r\n\r\n{text}\r\n--part--\r\n'.encode()
    headers = {"Content-Type": "multipart/form-data; boundary=part"}
    sent = ask(box.address, "/train/corpus", body=body, headers=headers).headers["Location"]
    (corpus,) = re.findall(r"corpus=([\w-]+)", sent)
    values = {"corpus": corpus, "trainer": "bpe-bytes", "size": "300"}
    record = f"{ask(box.address, '/train', values).headers['Location']}/record.json"
    until(lambda: box.ask(record).status == 200, 200, lambda: "The training did not end.")
