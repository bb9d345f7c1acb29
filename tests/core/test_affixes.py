"""Affixes and added tokens against `add_tokens` and `TemplateProcessing` of `tokenizers`; the scores file with them."""

from pathlib import Path

import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers.processors import TemplateProcessing

from tests.core.pairs import Pair
from tests.core.texts import any_text
from tests.properties import SAME_FIXTURE
from webapp.core import load
from webapp.core.affixes import NEWLINE, Affixes, offered_affixes, with_affixes
from webapp.core.formats import huggingface
from webapp.core.tokenizer import Tokenizer

# New spellings, spellings of pieces, parts of one another, spaces, other scripts, the alphabet of bytes.
CONTENTS = ["the", "universally", "versal", "<a b>", " a", "研究生", "e", "Ġthe", "##s", "▁a", "é", "Ã©", "👍🏽", "\t"]


def theirs_with(
    base: Tokenizer, before: list[int], after: list[int], added: list[str]
) -> tuple[tokenizers.Tokenizer, dict[str, int]]:
    """`tokenizers` reading the base, with its own additions; and the ids that it gives the added tokens."""
    theirs = tokenizers.Tokenizer.from_str(huggingface.write(base))
    theirs.add_tokens([tokenizers.AddedToken(content, normalized=False) for content in added])
    names = {id: f"t{id}" for id in (*before, *after)}
    theirs.post_processor = TemplateProcessing(
        single=[*(names[id] for id in before), "$A", *(names[id] for id in after)],
        special_tokens=[(name, id) for id, name in names.items()],
    )
    theirs.encode_special_tokens = True
    return theirs, {content: theirs.token_to_id(content) for content in added}


@SAME_FIXTURE
@given(
    data=st.data(),
    parts=st.lists(any_text | st.sampled_from(CONTENTS), max_size=5),
    added=st.lists(st.sampled_from(CONTENTS), max_size=4, unique=True),
)
def test_equals_tokenizers(pair: Pair, data: st.DataObject, parts: list[str], added: list[str]) -> None:
    ids = st.lists(st.integers(0, len(pair.ours.model.pieces) - 1), max_size=3)
    before, after, text = data.draw(ids), data.draw(ids), "".join(parts)
    names = Affixes(tuple(f"#{id}" for id in before), tuple(f"#{id}" for id in after), tuple(added))
    affixed = with_affixes(pair.ours, names)
    theirs, given_ids = theirs_with(pair.ours, before, after, added)
    found = affixed.tokenizer.encode(text, template=True)
    expected = theirs.encode(text)
    assert not affixed.missing
    assert list(found.ids) == expected.ids == affixed.tokenizer.ids(text, template=True)
    assert affixed.added == set(given_ids.values())
    assert affixed.tokenizer.decode(found.ids) == theirs.decode(expected.ids, skip_special_tokens=False)
    written = huggingface.write(affixed.tokenizer)
    reader = tokenizers.Tokenizer.from_str(written)
    reader.encode_special_tokens = True
    assert reader.encode(text).ids == huggingface.read(written).ids(text, template=True) == expected.ids
    inside = slice(len(before), len(expected.ids) - len(after))
    offsets = list(zip(found.starts, found.ends, strict=True))
    assert offsets[inside] == expected.offsets[inside] or pair.ours.postprocessor.trims


def test_own_template_stands_inside(pair: Pair) -> None:
    own = pair.ours.ids("the", template=True)
    inside = with_affixes(pair.ours, Affixes(("#1",), ("#2",)), template=True).tokenizer
    assert inside.ids("the", template=True) == [1, *own, 2]
    around = inside.encode("the", template=True)
    assert {0, len(around) - 1} <= around.special
    assert (around.starts[0], around.ends[-1]) == (0, 0)
    # A special token that is added stays as it is.
    names = sorted(pair.ours.special_tokens)
    affixed = with_affixes(pair.ours, Affixes(added=tuple(names)))
    assert not affixed.added
    assert [affixed.tokenizer.ids(name) for name in names] == [pair.ours.ids(name) for name in names]


def test_scores_file(shared: Path) -> None:
    """Pieces and scores of the shared folder, without a template."""
    base = load(shared / "vocabularies" / "scores" / "stories15m_tokens_scores.json")
    assert offered_affixes(base) == (["<s>", NEWLINE], ["</s>"])
    affixes = Affixes(("<s>", NEWLINE), ("</s>",), ("[gMASK]", "sop", "ing"))
    affixed = with_affixes(base, affixes)
    newline = base.ids("\n")[-1]
    ids = affixed.tokenizer.ids("saying it sop", template=True)
    assert ids == [1, newline, *base.ids("say"), base.model.id_of("ing"), *base.ids(" it "), 32001, 2]
    assert affixed.tokenizer.decode(ids, skip_special=True) == "\nsaying it sop"
    assert affixed.added == {32000, 32001, base.model.id_of("ing")}
    missing = with_affixes(base, Affixes(("[gMASK]", "#32000", "<s>"))).missing
    assert missing == ("[gMASK]", "#32000")
    # A token that the visitor adds can stand before the text too.
    chatglm = with_affixes(base, Affixes(("[gMASK]", "sop"), (), ("[gMASK]", "sop")))
    assert chatglm.tokenizer.ids("", template=True) == [32000, 32001]
