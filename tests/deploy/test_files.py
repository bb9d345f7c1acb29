"""The files of a deployment, by the programs and schemas that read them, and against the settings of the site.

The Dockerfile and compose.yaml are checked without an engine; CI builds and starts them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask import Flask

from tests.serving import ROOT
from webapp import create_app, settings
from webapp.server.pool import MOST_TOGETHER, most_workers
from webapp.settings import CONSTANTS, DEFAULTS, OWN

compose_spec = pytest.importorskip("compose_spec", reason="the extra `test` is not up to date here")
kubernetes_validate = pytest.importorskip("kubernetes_validate", reason="the extra `test` is not up to date here")

DEPLOY = ROOT / ".github" / "deploy"
# Settings that are no settings of the site itself, but of its server and its database.
PLAIN = {"PORT", "WEB_CONCURRENCY", "DATABASE_URL", "REDIS_URL"}
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("[!k]*.yaml"))
RUNTIME_DEFAULT = {"type": "RuntimeDefault"}
# The figures of OPERATING.md, "Overload and limits": what all workers share, and what each takes between requests.
SHARED_BYTES, WORKER_BYTES = 520_000_000, 220_000_000
UNIT = (DEPLOY / "tokenscope.service").read_text(encoding="utf-8")
OPERATING = (ROOT / ".github" / "OPERATING.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return loaded


def all_of(name: str) -> list[str]:
    """What follows each instruction of this name in the Dockerfile, with continued lines joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    pairs = (line.split(None, 1) for line in "\n".join(lines).replace("\\\n", " ").splitlines())
    return [rest.strip() for found, rest in pairs if found.upper() == name]


def program(name: str, *folders: Path) -> str:
    """Return the path of a program; skips the test where there is none."""
    path = shutil.which(name, path=":".join((*map(str, folders), os.environ["PATH"], "/usr/sbin")))
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def run(*command: str | Path, **environment: str) -> str:
    """Return what a program says; fails the test if its exit code is not 0."""
    variables = {**os.environ, **environment}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    folder = Path(sys.executable).parent
    assert run(program("hadolint", folder), "--no-color", ROOT / "Dockerfile") == ""


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


def test_settings_of_image_and_unit_exist_and_point_to_a_folder_that_can_be_written() -> None:
    image = " ".join(all_of("ENV"))
    unit = " ".join(re.findall(r"^Environment=(.+)$", UNIT, re.MULTILINE))
    for text, folder in ((image, "/data/"), (unit, "/var/lib/tokenscope/")):
        names = re.findall(r"TOKENSCOPE_(\w+)=(\S+)", text)
        assert {name for name, _ in names} <= set(DEFAULTS | OWN)
        places = [value for name, value in names if name.endswith(("_FILE", "_FOLDER"))]
        assert len(places) == 3
        assert all(place.startswith(folder) for place in places)
    assert all_of("VOLUME") == ["/data"]
    assert "\nStateDirectory=tokenscope\n" in UNIT
    assert "\nProtectSystem=strict\n" in UNIT


def test_compose_follows_its_specification_and_gives_the_site_no_more_than_it_needs(compose: dict[str, Any]) -> None:
    services = compose["services"]
    parsed = compose_spec.PyCompose.from_json(json.dumps(compose))
    assert set(parsed.service_names()) == {"proxy", "web", "worker", "database", "queue"}
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
        assert image == "tokenscope:latest" or (":" in image and not image.endswith(":latest"))
        for mount in service.get("volumes", ()):
            source = mount.partition(":")[0]
            assert source in compose["volumes"] or (DEPLOY / source).is_file()
        if image.startswith("tokenscope"):
            assert (DEPLOY / service["build"]["context"] / "Dockerfile").is_file()
            assert set(service["environment"]) <= {f"TOKENSCOPE_{name}" for name in DEFAULTS} | PLAIN


# --- Kubernetes


def documents() -> list[dict[str, Any]]:
    return [each for path in MANIFESTS for each in yaml.safe_load_all(path.read_text(encoding="utf-8"))]


def of(kind: str, name: str = "") -> list[dict[str, Any]]:
    return [each for each in documents() if each["kind"] == kind and name in each["metadata"]["name"]]


def containers() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for deployment in of("Deployment"):
        pod = deployment["spec"]["template"]["spec"]
        for container in pod["containers"]:
            yield pod, container


@pytest.mark.parametrize("document", documents(), ids=lambda each: f"{each['kind']} {each['metadata']['name']}")
def test_a_manifest_follows_the_schema_of_kubernetes(document: dict[str, Any]) -> None:
    kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)


def test_kustomization_names_every_file() -> None:
    listed = yaml.safe_load((MANIFESTS[0].with_name("kustomization.yaml")).read_text(encoding="utf-8"))["resources"]
    assert sorted(listed) == [path.name for path in MANIFESTS]


def test_pods_are_restricted_and_write_only_to_volumes() -> None:
    for pod, container in containers():
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"].items() >= {"runAsNonRoot": True, "seccompProfile": RUNTIME_DEFAULT}.items()
        assert container["securityContext"] == {
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/data", "/tmp"}
        assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
        assert "memory" in container["resources"]["limits"]
        assert {"cpu", "memory"} <= set(container["resources"]["requests"])


def test_labels_names_and_ports_agree() -> None:
    for deployment in of("Deployment"):
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        assert deployment["spec"]["selector"]["matchLabels"] == labels
    (web,) = of("Deployment", "web")
    labels = web["spec"]["template"]["metadata"]["labels"]
    (service,), (budget,) = of("Service"), of("PodDisruptionBudget")
    assert service["spec"]["selector"] == budget["spec"]["selector"]["matchLabels"] == labels
    assert budget["spec"]["minAvailable"] < web["spec"]["replicas"]
    (policy,) = of("NetworkPolicy", "web")
    assert policy["spec"]["podSelector"]["matchLabels"] == labels
    assert policy["spec"]["policyTypes"] == ["Ingress"]
    (ingress,) = of("Ingress")
    backends = [path["backend"]["service"] for rule in ingress["spec"]["rules"] for path in rule["http"]["paths"]]
    assert backends == [{"name": service["metadata"]["name"], "port": {"name": service["spec"]["ports"][0]["name"]}}]
    (claim,), (config,) = of("PersistentVolumeClaim"), of("ConfigMap")
    for pod, container in containers():
        claims = [volume["persistentVolumeClaim"]["claimName"] for volume in pod["volumes"] if volume["name"] == "data"]
        assert claims == [claim["metadata"]["name"]]
        assert container["envFrom"][0]["configMapRef"]["name"] == config["metadata"]["name"]


def test_probes_ask_what_the_site_answers_and_wait_long_enough() -> None:
    container = next(container for _pod, container in containers() if container["name"] == "web")
    rules = {rule.rule for rule in create_app().url_map.iter_rules()}
    probes = {name: container[f"{name}Probe"] for name in ("startup", "liveness", "readiness")}
    assert [probe["httpGet"]["path"] for probe in probes.values()] == ["/healthz", "/healthz", "/readyz"]
    assert rules >= {"/healthz", "/readyz"}
    assert {probe["httpGet"]["port"] for probe in probes.values()} <= {port["name"] for port in container["ports"]}
    assert probes["readiness"]["timeoutSeconds"] > CONSTANTS["MAX_DATABASE_SECONDS"]


def test_settings_are_known_valid_and_fit_into_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    (config,) = of("ConfigMap")
    assert set(config["data"]) <= {f"TOKENSCOPE_{name}" for name in DEFAULTS} | PLAIN
    for name, value in config["data"].items():
        monkeypatch.setenv(name, value)
    app = Flask("webapp")
    settings.configure(app, {})
    limits = {container["name"]: container["resources"]["limits"]["memory"] for _pod, container in containers()}
    assert limits == {"web": "5Gi", "worker": "3Gi"}
    workers = int(config["data"]["WEB_CONCURRENCY"])
    each = WORKER_BYTES + app.config["MAX_LOADED_BYTES"]
    together = SHARED_BYTES + MOST_TOGETHER + most_workers(workers) * each
    assert together < 5 << 30  # the limit in web.yaml
    assert app.config["MAX_TRAININGS"] * app.config["MAX_TRAINING_MEMORY_BYTES"] < 3 << 30


# --- systemd and proxies


def test_systemd_reads_the_unit_and_finds_it_hardened(tmp_path: Path) -> None:
    unit = tmp_path / "tokenscope.service"
    unit.write_text(UNIT.replace("/opt/tokenscope/bin/python", sys.executable))
    assert run(program("systemd-analyze"), "verify", "--man=no", unit).replace(str(unit), "") == ""
    # Of 100: a service without any protection has 96.
    told = run(program("systemd-analyze"), "security", "--offline=true", "--threshold=20", "--no-pager", unit)
    assert "Overall exposure level" in told


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
