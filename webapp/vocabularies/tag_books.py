"""Train the built-in tagger again, on the site's Chinese books with the words that maximum probability finds.

    python -m webapp.vocabularies.tag_books CORPORA > webapp/vocabularies/shipped/tagger.json.gz

It takes less than a minute. The sample of `/evaluate`, which people segmented, is no part of it, so that it can be
scored; it would not help. With one half of its 214 sentences, F1 on the other half falls from .796 to .787, with each
ten times to .784 (means of both halves); on PKU's test text it goes from .746 to .747 and .742, on UD's from .742 to
.741 and .735.
"""

import gzip
import sys
from pathlib import Path

from webapp.core.formats import tagger_weights
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.tag_weights import TagWeights
from webapp.core.models.tagger import Tagger
from webapp.core.recipes import NGRAM
from webapp.core.trainers.tagger import Training
from webapp.vocabularies.count_books import sentences_of_books

ROUNDS = 6
FEATURES, UNIT = 6_348, 50
"""How many of 890,000 features stay, so that the file has 54 KB, and what weights are rounded to multiples of. F1 as an
imitation falls from .922 to .855, on the sample of `/evaluate` from .799 to .795.
"""


def tag_books(folder: Path) -> bytes:
    """Return the file of a tagger that is trained on the Chinese books in a folder; its words are jieba's."""
    training = Training(sentences_of_books(folder))
    for moment in training.run(ROUNDS):
        sys.stderr.write(f"round {moment.round}: {moment.wrong / moment.characters:.2%} of the tags are wrong\n")
    weights, transitions = training.averages(FEATURES)
    rounded = {
        template: {value: [UNIT * round(weight / UNIT) for weight in four] for value, four in sorted(table.items())}
        for template, table in weights.items()
    }
    content = tagger_weights.write(NGRAM.tokenizer(Tagger(TagWeights(rounded, transitions), Dictionary([]))))
    return gzip.compress(content.encode(), 9, mtime=0)


if __name__ == "__main__":
    sys.stdout.buffer.write(tag_books(Path(sys.argv[1])))
