"""The unit of systemd and the configurations of proxies, checked by the programs that read them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.files import DEPLOY, PLAIN
from tests.serving import ROOT
from webapp.settings import DEFAULTS

UNIT = (DEPLOY / "tokenscope.service").read_text(encoding="utf-8")
OPERATING = (ROOT / ".github" / "OPERATING.md").read_text(encoding="utf-8")


def program(name: str) -> str:
    """Return the path of a program; skips the test where there is none."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def run(*command: str | Path, **environment: str) -> str:
    """Return what a program says; fails the test if its exit code is not 0."""
    variables = {**os.environ, **environment}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_systemd_reads_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "tokenscope.service"
    unit.write_text(UNIT.replace("/opt/tokenscope/bin/python", sys.executable))
    assert run(program("systemd-analyze"), "verify", "--man=no", unit).replace(str(unit), "") == ""


def test_systemd_finds_the_unit_hardened(tmp_path: Path) -> None:
    unit = tmp_path / "tokenscope.service"
    unit.write_text(UNIT)
    # Of 100: a service without any protection has 96.
    told = run(program("systemd-analyze"), "security", "--offline=true", "--threshold=20", "--no-pager", unit)
    assert "Overall exposure level" in told


def test_the_unit_names_settings_that_exist_and_writes_only_to_its_folder() -> None:
    assignments = re.findall(r"(\w+)=(\S+)", " ".join(re.findall(r"^Environment=(.+)$", UNIT, re.MULTILINE)))
    names = {name for name, _ in assignments if name.startswith("TOKENSCOPE_")}
    assert names <= {f"TOKENSCOPE_{name}" for name in DEFAULTS}
    assert {name for name, _ in assignments} - names <= PLAIN | {"PYTHONSAFEPATH", "PYTHONDONTWRITEBYTECODE"}
    places = [value for name, value in assignments if name.endswith(("_FILE", "_FOLDER"))]
    assert len(places) == 3
    assert all(place.startswith("/var/lib/tokenscope/") for place in places)
    assert "\nStateDirectory=tokenscope\n" in UNIT
    assert "\nProtectSystem=strict\n" in UNIT


def test_caddy_reads_its_configuration() -> None:
    file = DEPLOY / "Caddyfile"
    told = run(program("caddy"), "validate", "--config", file, "--adapter", "caddyfile", SITE_ADDRESS="tokens.example")
    assert "Valid configuration" in told


def test_nginx_reads_the_configuration_of_operating(tmp_path: Path) -> None:
    nginx, openssl = program("nginx"), program("openssl")
    (block,) = re.findall(r"^```nginx\n(.*?)^```$", OPERATING, re.MULTILINE | re.DOTALL)
    key, certificate = tmp_path / "tokens.example.key", tmp_path / "tokens.example.pem"
    options = ["-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=tokens.example", "-days", "2"]
    run(openssl, "req", *options, "-keyout", key, "-out", certificate)
    named = block.replace("/etc/ssl/", f"{tmp_path}/")
    whole = tmp_path / "nginx.conf"
    logs = f"pid {tmp_path}/pid; error_log stderr;"
    whole.write_text(f"{logs}\nevents {{}}\nhttp {{\naccess_log off;\n{named}\n}}\n")
    assert "test is successful" in run(nginx, "-t", "-c", whole, "-p", tmp_path)
