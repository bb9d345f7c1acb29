"""The Dockerfile and compose.yaml, as far as they can be checked without an engine; CI builds and starts them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.files import DEPLOY, PLAIN, dockerfile
from tests.serving import ROOT
from webapp.settings import DEFAULTS, OWN

compose_spec = pytest.importorskip("compose_spec", reason="the extra `test` is not up to date here")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return loaded


def all_of(name: str) -> list[str]:
    return [rest for found, rest in dockerfile() if found == name]


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    beside = Path(sys.executable).with_name("hadolint")
    command = str(beside) if beside.exists() else shutil.which("hadolint")
    if command is None:
        pytest.skip("hadolint is not installed")
    done = subprocess.run([command, "--no-color", ROOT / "Dockerfile"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_image_is_pinned_small_and_not_root() -> None:
    (base,) = (rest for rest in all_of("ARG") if rest.startswith("BASE="))
    assert re.fullmatch(r"BASE=python:3\.\d+-slim-\w+", base)
    assert all_of("FROM") == ["${BASE} AS build", "${BASE}"]
    assert all_of("USER") == ["10001:10001"]
    assert all_of("STOPSIGNAL") == ["SIGTERM"]
    (health,) = all_of("HEALTHCHECK")
    assert health.endswith('CMD ["python", "-m", "webapp.server.healthcheck"]')
    assert json.loads(all_of("CMD")[0]) == ["python", "-m", "webapp", "--host", "0.0.0.0"]


def test_the_build_gets_what_it_copies_and_all_that_a_wheel_needs() -> None:
    copied = {source for rest in all_of("COPY") if not rest.startswith("--from") for source in rest.split()[:-1]}
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert copied == sent
    assert all((ROOT / source).exists() for source in copied)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {"pyproject.toml", project["project"]["readme"], "webapp"}
    needed |= set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"])
    assert needed <= copied


def test_settings_of_the_image_exist_and_point_to_its_volume() -> None:
    names = re.findall(r"(TOKENSCOPE_\w+)=(\S+)", " ".join(all_of("ENV")))
    assert {name.removeprefix("TOKENSCOPE_") for name, _ in names} <= set(DEFAULTS | OWN)
    assert all_of("VOLUME") == ["/data"]
    places = [value for name, value in names if name.endswith(("_FILE", "_FOLDER"))]
    assert len(places) == 3
    assert all(place.startswith("/data/") for place in places)


def test_compose_follows_its_specification_and_gives_the_site_no_more_than_it_needs(compose: dict[str, Any]) -> None:
    services = compose["services"]
    parsed = compose_spec.PyCompose.from_json(json.dumps(compose))
    assert set(parsed.service_names()) == {"proxy", "web", "worker", "database", "queue"}
    broken = compose | {"services": services | {"web": services["web"] | {"read_onyl": True}}}
    with pytest.raises(ValueError, match="read_onyl"):
        compose_spec.PyCompose.from_json(json.dumps(broken))
    for service in (services["web"], services["worker"]):
        assert service["mem_limit"]
        assert "no-new-privileges:true" in service["security_opt"]
        assert service["tmpfs"][0].startswith("/tmp:")
        assert service.items() >= {"read_only": True, "cap_drop": ["ALL"], "volumes": ["data:/data"]}.items()
    assert services["web"]["environment"]["TOKENSCOPE_WORKER"] == "false"
    # Only the proxy is reachable from outside, and the database only from the site.
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert compose["networks"]["back"] == {"internal": True}
    assert [services[name]["networks"] for name in ("database", "queue")] == [["back"], ["back"]]


def test_compose_names_settings_files_and_releases_that_exist(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        image = service["image"]
        assert ":" in image
        assert image == "tokenscope:latest" or not image.endswith(":latest")
        for mount in service.get("volumes", ()):
            source = mount.partition(":")[0]
            assert source in compose["volumes"] or (DEPLOY / source).is_file()
        if image.startswith("tokenscope"):
            assert (DEPLOY / service["build"]["context"] / "Dockerfile").is_file()
            names = set(service["environment"])
            assert names <= {f"TOKENSCOPE_{name}" for name in DEFAULTS} | PLAIN
