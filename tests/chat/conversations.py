"""The conversations and templates that are rendered here and by transformers."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from webapp.chat.templates import BUILT_IN, ChatTemplate

FOLDER = Path(__file__).parent
TEMPLATES, RECORDED = FOLDER / "templates", FOLDER / "recorded"
NOW = datetime(2026, 11, 22, 12, 30)

_GIVEN = json.loads((FOLDER / "conversations.json").read_text(encoding="utf-8"))
CONVERSATIONS: Mapping[str, Mapping[str, Any]] = _GIVEN["conversations"]


def published() -> dict[str, ChatTemplate]:
    """The published templates in the folder, by name."""
    return {
        path.stem: ChatTemplate(path.stem, path.stem, path.read_text(encoding="utf-8"), _GIVEN["variables"][path.stem])
        for path in sorted(TEMPLATES.glob("*.jinja"))
    }


def all_templates() -> dict[str, ChatTemplate]:
    """The published templates, and the site's own."""
    return published() | {f"built-in {name}": template for name, template in BUILT_IN.items()}


def text_of(name: str) -> str:
    """A conversation as a visitor pastes it."""
    return json.dumps(CONVERSATIONS[name], ensure_ascii=False)
