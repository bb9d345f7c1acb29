"""What exists for speed alone: caches, boundaries that tokens never cross, and tables of lengths.

Every file here begins with what it exploits, the invariant it needs, the plain code that proves it, and the ratio it
bought (CPU time without it divided by CPU time with it). Nothing here changes an id: remove a file, call the plain code
that it names, and every test still passes, only later.

How a text travels
    `webapp.core.encoding_paths` chooses the shortest path through normalizer, pre-tokenizer and model that gives the
    same ids: BERT's words are looked up before they are normalized, a sequence of pre-tokenizers is looked up by what
    its first one splits off. `webapp.core.text.split_patterns` runs the known split patterns with `re` instead of
    `regex`. What remains is one dictionary lookup a pre-token, `map(cache.__getitem__, pretokens)`.

How a pre-token that no cache holds is computed
    BPE splits it where no merge reaches across (`boundaries`) and looks the spans up; `merge_loop` merges what is left,
    with a list up to 80 symbols, above it with a heap. Matching and both lattices try the lengths that occur
    (`word_lengths`), of which an uploaded vocabulary may have a limited number. SentencePiece's Unigram, which rounds
    every sum to single precision, computes the whole text and keeps its latest path.

What the caches may hold
    `webapp.core.cache`: 40 MB each (`ROOM`), and of pre-tokens above 256 characters only the latest; all of them in a
    process 128 MB (`ALL_ROOM`), where the largest is emptied when they are full. `webapp.vocabularies.memory_cache`
    counts them within `TOKENSCOPE_MAX_LOADED_BYTES`.
"""
