"""The files of a deployment, and the settings that they name."""

from __future__ import annotations

from pathlib import Path

from tests.serving import ROOT

DEPLOY = ROOT / ".github" / "deploy"
# Settings that are no settings of the site itself, but of its server and its database.
PLAIN = {"PORT", "WEB_CONCURRENCY", "DATABASE_URL", "REDIS_URL"}


def instructions(text: str) -> list[tuple[str, str]]:
    """Return the instructions of a Dockerfile: their names, and the rest with continued lines joined."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    pairs = (line.split(None, 1) for line in joined.splitlines())
    return [(name.upper(), rest.strip()) for name, rest in pairs]


def dockerfile() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile."""
    return instructions((ROOT / "Dockerfile").read_text(encoding="utf-8"))


def manifests() -> list[Path]:
    """Return the files of Kubernetes."""
    return sorted((DEPLOY / "kubernetes").glob("*.yaml"))
