"""All vocabularies of the site and their tokenizers: built in, trained, pasted, fetched or uploaded."""

from webapp.vocabularies.catalogue import CATALOGUE, CatalogueEntry, default_for, entries_for, offered_algorithms
from webapp.vocabularies.library import (
    StillFetchingError,
    UnavailableVocabularyError,
    find,
    init_app,
    library,
    preload_fetched,
    tokenizer_of,
    well_known,
)
from webapp.vocabularies.shipped_vocabularies import (
    GPT_4O,
    jieba_words,
    matching,
    maximum_probability,
    ngram_tokenizer,
    preload,
    record,
    shipped_tokenizer,
    sizes_record,
)
from webapp.vocabularies.titles import title_of
from webapp.vocabularies.trained import LIMITS, TRAINERS, TrainedVocabulary, train_vocabulary
from webapp.vocabularies.uploads import StorageFullError, algorithms_of, hash_of
