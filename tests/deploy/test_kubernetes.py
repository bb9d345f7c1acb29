"""The manifests of Kubernetes: valid by its own schemas, and consistent with each other and with the site."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
import yaml
from flask import Flask

from tests.deploy.files import DEPLOY, PLAIN, manifests
from webapp import create_app, settings
from webapp.server.pool import MOST_TOGETHER, most_workers
from webapp.settings import CONSTANTS, DEFAULTS

kubernetes_validate = pytest.importorskip("kubernetes_validate", reason="the extra `test` is not up to date here")

FOLDER = DEPLOY / "kubernetes"
RUNTIME_DEFAULT = {"type": "RuntimeDefault"}
# The figures of OPERATING.md, "Overload and limits": what all workers share, and what each takes between requests.
SHARED_BYTES, WORKER_BYTES = 520_000_000, 220_000_000


def documents() -> list[dict[str, Any]]:
    files = [path for path in manifests() if path.name != "kustomization.yaml"]
    return [each for path in files for each in yaml.safe_load_all(path.read_text(encoding="utf-8"))]


def of(kind: str, name: str = "") -> list[dict[str, Any]]:
    return [each for each in documents() if each["kind"] == kind and name in each["metadata"]["name"]]


def containers() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for deployment in of("Deployment"):
        pod = deployment["spec"]["template"]["spec"]
        for container in pod["containers"]:
            yield pod, container


@pytest.mark.parametrize("document", documents(), ids=lambda each: f"{each['kind']} {each['metadata']['name']}")
def test_a_manifest_follows_the_schema_of_kubernetes(document: dict[str, Any]) -> None:
    version = kubernetes_validate.latest_version()
    kubernetes_validate.validate(document, version, strict=True)
    broken = deepcopy(document)
    broken["metadata"]["nmae"] = "x"
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, version, strict=True)


def test_kustomization_names_every_file_and_kubectl_puts_them_together() -> None:
    listed = yaml.safe_load((FOLDER / "kustomization.yaml").read_text(encoding="utf-8"))["resources"]
    assert sorted(listed) == [path.name for path in manifests() if path.name != "kustomization.yaml"]
    if shutil.which("kubectl"):
        done = subprocess.run(["kubectl", "kustomize", FOLDER], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        made = [each for each in yaml.safe_load_all(done.stdout) if each]
        assert len(made) == len(documents())
        assert {each["metadata"].get("namespace", "tokenscope") for each in made} == {"tokenscope"}


def pods(deployment: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = deployment["spec"]["template"]["spec"]["containers"]
    return found


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
    (container,) = pods(of("Deployment", "web")[0])
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
    limits = {pods(each)[0]["name"]: pods(each)[0]["resources"]["limits"]["memory"] for each in of("Deployment")}
    assert limits == {"web": "5Gi", "worker": "3Gi"}
    workers = int(config["data"]["WEB_CONCURRENCY"])
    each = WORKER_BYTES + app.config["MAX_LOADED_BYTES"]
    together = SHARED_BYTES + MOST_TOGETHER + most_workers(workers) * each
    assert together < 5 << 30  # the limit in web.yaml
    assert app.config["MAX_TRAININGS"] * app.config["MAX_TRAINING_MEMORY_BYTES"] < 3 << 30
