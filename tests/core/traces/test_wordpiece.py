"""The steps of WordPiece end in the pieces of the model."""

from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import any_text
from webapp.core.models.wordpiece import WordPiece
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces.longest_match import tokens_of, wordpiece_steps
from webapp.core.traces.pretokens import AddedFound, pretokens_of
from webapp.vocabularies.shipped_vocabularies import shipped_tokenizer

pieces = st.lists(st.text("ab研#", min_size=1, max_size=5), unique=True, max_size=15)


@given(pieces=pieces, word=st.text("ab研#c", max_size=12), prefix=st.sampled_from(["##", "", "a"]))
def test_the_steps_end_in_the_pieces(pieces: list[str], word: str, prefix: str) -> None:
    model = WordPiece([*pieces, "[UNK]"], continuing_subword_prefix=prefix, max_word_length=10)
    assert tokens_of(wordpiece_steps(model, word)) == list(model.segment(word))
    for decision in wordpiece_steps(model, word):
        lengths = [looked.end - looked.start for looked in decision.tried]
        assert lengths == list(range(len(lengths[:1]) and lengths[0], len(lengths[:1]) and lengths[-1] - 1, -1))
        assert [looked.id is None for looked in decision.tried] == [
            decision.kind != "piece" or at + 1 < len(lengths) for at in range(len(lengths))
        ]


def _ids(tokenizer: Tokenizer, text: str) -> list[int]:
    ids: list[int] = []
    assert isinstance(tokenizer.model, WordPiece)
    for found in pretokens_of(tokenizer, text):
        if isinstance(found, AddedFound):
            ids.append(found.token.id)
        else:
            ids += [id for id, _, _ in tokens_of(wordpiece_steps(tokenizer.model, found.text))]
    return ids


@given(text=any_text, lowercase=st.booleans())
def test_the_steps_of_the_shipped_vocabulary(text: str, lowercase: bool) -> None:
    tokenizer = shipped_tokenizer("wordpiece", lowercase=lowercase)
    assert _ids(tokenizer, text) == tokenizer.ids(text)
