"""The command `messages`: the tokens of a conversation in JSON, by message."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from webapp.command_line.commands import write
from webapp.command_line.inputs import STANDARD_INPUT, ArgumentError, InputError, read_texts
from webapp.command_line.tokenizers import DEFAULT, model_named, tokenizer_of

if TYPE_CHECKING:
    from webapp.chat.openai_rule import PublishedCount
    from webapp.chat.templates import ChatTemplate
    from webapp.tools.messages.counts import CountedPrompt

EPILOG = """\
A file has messages as chat APIs take them: a list of objects with role and content, or an object with messages and
tools. The counts are those of the prompt as rendered; a provider may add tokens that it does not document.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("-v", "--vocabulary", metavar="NAME|FILE", help=f"the vocabulary ({DEFAULT})")
    parser.add_argument("--merges", metavar="FILE", help="the merges.txt that belongs to a vocab.json")
    parser.add_argument("-m", "--model", metavar="NAME", help="the model whose vocabulary counts, such as gpt-4o")
    parser.add_argument(
        "-t", "--template", metavar="NAME|FILE", help="the chat template: a built-in one (chatml), or a file of Jinja"
    )
    parser.add_argument("--no-reply", action="store_true", help="do not end the prompt with the beginning of a reply")
    parser.add_argument(
        "--markers",
        choices=("single", "text"),
        default="single",
        help="count markers that the vocabulary lacks as single tokens, or as text",
    )
    parser.add_argument("--prompt", action="store_true", help="print the prompt as rendered, not the counts")
    parser.add_argument(
        "--json",
        action="store_true",
        help="JSON Lines: an object for each file, with special tokens that messages contain",
    )
    parser.add_argument(
        "files", nargs="*", default=[STANDARD_INPUT], metavar="FILE.json", help="a conversation; - is standard input"
    )


def messages(options: Namespace) -> int:
    """Print the counts of each file, and return the exit code; an invalid file raises InputError.

    Raises ArgumentError for a vocabulary, a model or a template that does not exist.
    """
    model = model_named(options.model, vocabulary=options.vocabulary) if options.model else None
    name = options.vocabulary or (model and model.vocabulary) or DEFAULT
    tokenizer = tokenizer_of(name, options.merges)
    chosen = options.template or (model.template if model else "") or "chatml"
    template = _template(chosen)
    from webapp.chat.messages import ConversationError, read_messages
    from webapp.chat.render import TemplateError, render
    from webapp.tools.messages.counts import count_prompt
    from webapp.tools.messages.result import conversation_rows, published_count

    for file in options.files:
        for given in read_texts(file, by_line=False):
            try:
                conversation = read_messages(given.text)
                prompt = render(template, conversation, reply=not options.no_reply)
            except ConversationError as error:
                raise InputError(f"{given.place}: {error}") from None
            except TemplateError as error:
                # The lines that it names are those of the template; whether it fails may depend on the conversation.
                raise InputError(f"{given.place}, template {chosen}: {error}") from None
            single = options.markers == "single"
            counted = count_prompt(prompt, conversation, template, tokenizer, single=single)
            published = published_count(conversation, tokenizer, name, options.model or "")
            roles = [message.role for message in conversation.messages]
            if options.prompt:
                write(prompt.text)
            elif options.json:
                write(_json(file, counted, roles, name, template, published))
            else:
                for row in conversation_rows(counted, roles):
                    write("\t".join(_shown(str(cell)) for cell in row) + "\n")
    return 0


def _shown(text: str) -> str:
    """A text without what could control the terminal."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def _template(name: str) -> ChatTemplate:
    from webapp.chat.templates import BUILT_IN, TemplateSourceError, own_template

    if name in BUILT_IN:
        return BUILT_IN[name]
    if not Path(name).exists():
        raise ArgumentError(f"there is no chat template and no file called {name}: use {', '.join(BUILT_IN)}")
    (given,) = read_texts(name, by_line=False)
    try:
        return own_template(given.text)
    except TemplateSourceError as error:
        raise InputError(f"{given.place}: {error}") from None


def _json(
    file: str,
    counted: CountedPrompt,
    roles: list[str],
    vocabulary: str,
    template: ChatTemplate,
    published: PublishedCount | None,
) -> str:
    from webapp.tools.messages.result import conversation_json
    from webapp.web.json_responses import json_parts

    found = {"file": file, "vocabulary": vocabulary, "template": template.name, **conversation_json(counted, roles)}
    if published is not None:
        found["published"] = published
    return "".join(part.decode() for part in json_parts(found)) + "\n"
