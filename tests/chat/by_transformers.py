"""Renders with `apply_chat_template` of transformers; run as a module, it records what it renders.

    python -m tests.chat.by_transformers

writes `recorded/*.json`, which the tests compare with. Needs transformers and tokenizers. With a folder of templates,
such as `models/templates` of llama.cpp, it compares with each of them instead, and prints the differences.
"""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.chat.conversations import CONVERSATIONS, NOW, RECORDED, all_templates
from webapp.chat.templates import ChatTemplate


class FixedNow(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: Any = None) -> FixedNow:
        return cls(NOW.year, NOW.month, NOW.day, NOW.hour, NOW.minute)


def rendered(template: ChatTemplate, conversation: Any, *, reply: bool) -> dict[str, Any]:
    """What transformers renders: `{"text": …}`, `{"raised": …}` by the template, or `{"fails": true}`."""
    import jinja2
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()), **template.variables)
    tokenizer.chat_template = template.source
    try:
        with patch("transformers.utils.chat_template_utils.datetime", FixedNow):
            text = tokenizer.apply_chat_template(
                conversation["messages"],
                tools=conversation.get("tools"),
                tokenize=False,
                add_generation_prompt=reply,
            )
    except jinja2.UndefinedError:
        return {"fails": True}
    except jinja2.TemplateError as error:
        return {"raised": str(error)}
    except Exception:
        return {"fails": True}
    return {"text": text}


def compare(folder: Path) -> None:
    """Write where the prompts of the templates in a folder differ, and how many there are."""
    from tests.chat.test_equal_to_transformers import ours

    count = 0
    for path in sorted(folder.glob("*.jinja")):
        tokens = {"bos_token": "<s>", "eos_token": "</s>"}
        template = ChatTemplate(path.stem, path.stem, path.read_text(encoding="utf-8"), tokens)
        for name, conversation in CONVERSATIONS.items():
            for reply in (True, False):
                expected, found = rendered(template, conversation, reply=reply), ours(template, name, reply=reply)
                count += 1
                if expected != found and not ("text" not in expected and found == {"fails": True}):
                    sys.stdout.write(f"{path.stem}: {name}, {reply=}\n  {expected}\n  {found}\n")
    sys.stdout.write(f"{count} prompts\n")


def main() -> None:
    """Record all, or compare with the templates in a folder."""
    import transformers

    if len(sys.argv) > 1:
        compare(Path(sys.argv[1]))
        return
    RECORDED.mkdir(exist_ok=True)
    for name, template in all_templates().items():
        outputs = {
            conversation: {
                str(reply).lower(): rendered(template, CONVERSATIONS[conversation], reply=reply)
                for reply in (True, False)
            }
            for conversation in CONVERSATIONS
        }
        record = {"transformers": transformers.__version__, "source": template.source, "outputs": outputs}
        path = RECORDED / f"{name.replace(' ', '-')}.json"
        path.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
