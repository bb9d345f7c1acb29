"""An installed wheel serves the site without the checkout."""

import os
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.serving import ROOT, serve

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the project as a wheel, with the hatchling of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, "-w", folder, ROOT], check=True)
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_contains_every_template_static_file_and_catalogue(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    paths = [path for folder in ("templates", "static") for path in (ROOT / folder).rglob("*")]
    files = {f"webapp/{path.relative_to(ROOT).as_posix()}" for path in paths if path.is_file()}
    assert files
    ours = [path for path in (ROOT / "webapp").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    files |= {path.relative_to(ROOT).as_posix() for path in ours}
    assert "webapp/vocabularies/well_known.toml" in files
    assert files <= packed
    assert not any(name.startswith(("templates/", "static/", "tests/")) for name in packed)


def test_wheel_runs_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    installed, elsewhere = tmp_path / "installed", tmp_path / "elsewhere"
    elsewhere.mkdir()
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--target", installed]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, wheel], check=True)
    environment = {"PYTHONPATH": str(installed), "WEB_CONCURRENCY": "1"}
    with serve(folder=elsewhere, environment=environment) as address:
        with urllib.request.urlopen(address + "/", timeout=30) as answer:
            page = answer.read().decode()
        with urllib.request.urlopen(address + "/static/vendor/htmx/htmx.min.js", timeout=30) as answer:
            script = answer.read()
    variables = {"PYTHONPATH": str(installed), "PATH": os.environ["PATH"]}
    command = [installed / "bin" / "tokenscope", "encode"]
    ids = subprocess.run(command, cwd=elsewhere, env=variables, input=b"low", capture_output=True, check=True).stdout
    command = [installed / "bin" / "tokenscope", "decode"]
    text = subprocess.run(command, cwd=elsewhere, env=variables, input=ids, capture_output=True, check=True).stdout
    assert text == b"low"
    assert 'id="text"' in page
    assert script == (ROOT / "static" / "vendor" / "htmx" / "htmx.min.js").read_bytes()
