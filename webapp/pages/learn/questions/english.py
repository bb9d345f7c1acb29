"""The questions in English."""

from __future__ import annotations

from webapp.pages.learn.questions.question import Question

ENGLISH = {
    "why": {
        "capital": Question(
            "“The cat sat on the mat.” contains the word *the* twice, once with a capital letter. Do both get the "
            "same id?",
            (
                "Yes, it is the same word",
                "No, they are two tokens with two ids",
                "No, but their ids are neighbours",
            ),
            1,
            "`The` is token 729 and `·the` is token 270: different characters, so different entries. Nothing in "
            "the two numbers says that they are related; a model has to learn that from texts.",
        ),
        "letter": Question(
            "`strawberry` is four tokens: `st`, `raw`, `ber`, `ry`. Now write it with a capital: `Strawberry`. How "
            "many of the four ids change?",
            ("None", "One", "All four"),
            1,
            "Only the first: `st` (335) becomes `St` (2872). The other three stay 4122, 1190 and 697. One letter "
            "has changed, but the first number has jumped by 2,537: ids are names, not measurements.",
        ),
    },
    "dictionary": {
        "forward": Question(
            "The dictionary has four words: 研究 (to study), 研究生 (graduate student), 生命 (life) and 科学 "
            "(science). FMM reads 研究生命科学, “to study life science”, from the left and takes the longest word. "
            "Which segmentation does it give?",
            ("研究 / 生命 / 科学", "研究生 / 命 / 科学", "研究生 / 生命 / 科学"),
            1,
            "研究生 is the longest word at the start, so FMM takes it, and 命 is left over: no word of this "
            "dictionary starts with it. The third choice is in many tutorials but cannot be right: the text has "
            "six characters and one 生, the choice has seven characters and two.",
        ),
        "rule": Question(
            "我们在野生动物园玩 means “we play in the safari park”. With jieba's dictionary FMM gives 我们 / "
            "在野 / 生动 / "
            "物 / 园 / 玩, and BMM gives 我们 / 在 / 野生 / 动物园 / 玩. Which result does the bidirectional "
            "rule take?",
            ("FMM's, because it has more words", "BMM's, because it has fewer words", "Neither: they disagree"),
            1,
            "BMM has five words and FMM six, and fewer words win. The reason behind the rule: a wrong long word "
            "leaves fragments, here 物 and 园, so mistakes tend to cost words. This time the winner is also what the "
            "sentence means.",
        ),
    },
    "ambiguity": {
        "chain": Question(
            "The dictionary has 结合, 合成, 成分, 分子 and 子时. Forward matching cuts 结合成分子时 into 结合 / 成分 "
            "/ 子时, which is wrong. What does backward matching find?",
            ("结合 / 成 / 分子 / 时", "结 / 合成 / 分子 / 时", "结合 / 成分 / 子时"),
            2,
            "Exactly the same: from the right it takes 子时, then 成分, then 结合. Both directions agree, and both "
            "are wrong. The right answer is 结合 / 成 / 分子 / 时.",
        ),
        "handle": Question(
            "请把手放下 means “please put your hand down”. The dictionary has 请, 把, 手, 把手 and 放下. Which "
            "direction cuts it correctly, into 请 / 把 / 手 / 放下?",
            ("Only backward matching", "Both", "Neither"),
            2,
            "Both take 把手, the “handle”, because it is longer than 把 and longer than 手. No word overlaps another "
            "one here, so the direction makes no difference.",
        ),
    },
    "max-probability": {
        "longer": Question(
            "生命 “life” occurs 6,986 times and 科学 “science” 13,460 times among 60,101,967. 生命科学 “life "
            "science” is a word too, but it occurs only 91 times. Which is more probable?",
            ("生命 / 科学", "生命科学", "They are equal"),
            1,
            "One word of probability 91/60,101,967 against the product of two: 6,986/60,101,967 · 13,460/60,101,967 "
            "is as much as 1.56/60,101,967. A frequency of 2 would have been enough.",
        ),
        "taichung": Question(
            "台中 (Taichung, a city) has the frequency 3, 台 has 16,964 and 中 243,191. jieba cuts the city in two. "
            "Which frequency would it need at least to stay whole?",
            ("69", "16,965", "243,192"),
            0,
            "16,964 · 243,191 / 60,101,967 = 68.6, so 69 is enough. The name may be much rarer than its characters, "
            "but not rarer than the two would meet by chance.",
        ),
    },
    "hmm": {
        "zhao": Question(
            "赵春 is a name that no dictionary has, 来了 means “has come”. In jieba's dictionary, 赵春来了 has no "
            "word of several characters. How does the HMM cut it?",
            ("赵春 / 来 / 了", "赵春来 / 了", "赵 / 春 / 来 / 了"),
            1,
            "B M E S is more probable than B E S S, −24.5 against −26.5, so the verb becomes part of the name. Zhao "
            "Chunlai would be a good name too: from these four characters alone, nobody can tell.",
        ),
        "success": Question(
            "方成功 is a name, “Fang Success”. In 方成功考上了北大 “Fang Chenggong was admitted to Peking "
            "University”, jieba with its HMM finds …",
            ("方成功 / 考上 / 了 / 北大", "方 / 成功 / 考上 / 了 / 北大", "方成 / 功 / 考上 / 了 / 北大"),
            1,
            "The dictionary has 成功 “success”, so only 方 is left over. A single character is not a run, so "
            "it never reaches the HMM. With 方小成, which contains no word, it would have found the name.",
        ),
    },
    "ngram": {
        "smoothing": Question(
            "人生 occurs three times as the first word of a pair; 如 follows it twice. So P(如 | 人生) = 2/3. "
            "There are "
            "six possible next words. What is it after add-one smoothing?",
            ("It stays 2/3", "1/3", "3/4"),
            1,
            "(2 + 1) / (3 + 6) = 3/9 = 1/3. Each of the six next words gets one more count, and five of the added "
            "counts go to other words. In a corpus as small as this one, smoothing takes away half of the "
            "probability.",
        ),
        "flower": Question(
            "Now segment 人生如夏花, “life is like a summer flower”. The corpus has 人生 and 如, but neither 夏 "
            "nor 花; it "
            "also has the four-character word 生如夏花. What does the model prefer?",
            ("人生 / 如 / 夏 / 花", "人 / 生如夏花", "人 / 生 / 如 / 夏 / 花"),
            1,
            "It is wrong, and one can compute why. 人 / 生如夏花 = 1/10 · 1/6 · 2/7 = 1/210. 人生 / 如 / 夏 / 花 "
            "= 3/10 · 3/9 · "
            "1/9 · 1/6 · 1/6 = 1/3240. Five factors below one are smaller than three: a known long word beats two "
            "unknown characters. A larger corpus is the remedy.",
        ),
    },
    "smoothing": {
        "collected": Question(
            "人生 occurs three times before another word: twice before 如, once before the end of the sentence. "
            "Absolute discounting takes *D* = 3/4 from each of the two counts. Which share of the probability does "
            "it have to give away?",
            ("1/4", "1/2", "3/4"),
            1,
            "2 · 3/4 of 3 observations: 1.5 / 3 = 1/2. So λ(人生) = 1/2. It depends on how many different words were "
            "seen: a word after which everything is possible gives away more.",
        ),
        "company": Question(
            "A bigram model trained on Lu Xun meets a context that it has never seen, and has to fall back on "
            "single words. By frequency, Q (306 times) and 东西 (307 times) are equally probable. And by the number "
            "of different characters before them?",
            ("Equally probable, too", "东西 is about seven times as probable", "Q is about seven times as probable"),
            1,
            "44 : 6 is about seven. Of the 306 Q, 299 follow 阿; the frequency of Q says something about 阿, not "
            "about other contexts. 东西 follows 的, 么, 小 and 41 others.",
        ),
    },
    "evaluation": {
        "precision": Question(
            "The gold standard has 方成功 / 考上 / 了 / 北大, the program 方 / 成功 / 考上 / 了 / 北大. What is the "
            "program's precision?",
            ("3/5", "3/4", "4/5"),
            0,
            "Three of the program's five words are correct: 考上, 了 and 北大. The recall is 3/4, three of the four "
            "gold words. One cut too many, and both 方 and 成功 count as wrong.",
        ),
        "luck": Question(
            "Maximum matching knows only the words of the training text, and an OOV word is by definition none of "
            "them. How high is its OOV recall on the PKU test?",
            ("0, as it cannot find any", "0.069", "0.5"),
            1,
            "Of 6,006 OOV words it finds 412. All of them are single characters: where nothing matches, a character "
            "stands alone, and sometimes that is right. Most of the 412 are digits.",
        ),
    },
    "units": {
        "size": Question(
            "`unbelievable tokenizers` has 23 characters and 2 words. With a vocabulary of 32,000 subwords, how many "
            "tokens is it?",
            ("2", "6", "23"),
            1,
            "`un`, `bel`, `ie`, `vable`, `·token`, `izers`. Neither word is an entry of its own, but their parts "
            "are. Note `vable`: the pieces follow counts, not grammar.",
        ),
        "rare": Question(
            "In the same vocabulary, which text needs more tokens: `·information` with 11 letters, or `·quokka` (a "
            "small animal) with 6?",
            ("information: it is longer", "quokka: it is rarer", "Both need one token"),
            1,
            "`·information` is one token, `·quokka` is three: `·qu`, `ok`, `ka`. What decides is not how long a "
            "word is but how often it occurred in the corpus.",
        ),
    },
    "bpe": {
        "first": Question(
            "A corpus has *low* five times, *lower* twice, *newest* six times and *widest* three times. Which pair "
            "of neighbouring letters does BPE merge first?",
            ("l o", "w e", "e s"),
            2,
            "*e s* occurs in newest (6) and widest (3): 9 times. *w e* occurs in lower (2) and newest (6): 8 times. "
            "*l o* occurs in low (5) and lower (2): 7 times. Count words, not different words. *s t* occurs as "
            "often as *e s*, which comes first in the corpus.",
        ),
        "suffix": Question(
            "After ten merges, this vocabulary has the pieces `lo`, `low</w>` and `est</w>`. The mark `</w>` ends a "
            "word. How is *lowest* split?",
            ("low / est", "lo / w / est", "l / o / w / est"),
            1,
            "`low</w>` is *low at the end of a word*, and in lowest it is not at the end. The fifth merge made "
            "`lo`, a later one joined `lo` with `w</w>`, and `w` inside a word is another symbol. In the paper, "
            "`</w>` is a symbol of its own, and lowest becomes `low` / `est</w>`.",
        ),
    },
    "bytes": {
        "emoji": Question(
            "The emoji 🙂 is not an entry of our byte-level vocabulary. How many tokens does it become?",
            ("One unknown token", "2", "4"),
            2,
            "In UTF-8, 🙂 is the four bytes F0 9F 99 82, and no two of them were merged in training. Each byte is "
            "a token of its own: 240, 159, 153 and 130, the values of the bytes.",
        ),
        "spaces": Question(
            "The text “the the␣␣the⏎The” has the word *the* four times: at the beginning, after one space, after two "
            "spaces, and with a capital on a new line. How many different ids do these four words get?",
            ("1", "3", "4"),
            1,
            "`the` at the beginning is 513. `·the` is 270, both times: of two spaces, the last one belongs to the "
            "word and the first is a token of its own. `The` is 729.",
        ),
    },
    "wordpiece": {
        "unknown": Question(
            "A vocabulary has the pieces `love`, `##d`, `##o`, `##g` and `##s`, but neither `##l` nor `##y`. What "
            "does WordPiece make of *lovely*?",
            ("love / [UNK]", "[UNK] / [UNK]", "[UNK]"),
            2,
            "One `[UNK]` for the whole word. `love` fits, then nothing fits at *ly*, and WordPiece gives up the word, "
            "including the part that it had found. Decoding gives `[UNK]`: nothing of *lovely* is left.",
        ),
        "score": Question(
            "The corpus is “I love dogs I loved you”. The pair *o v* occurs twice, *g s* once. Which of the two has "
            "the higher WordPiece score?",
            ("o v: it occurs more often", "g s: its letters never occur apart", "Both are equal"),
            1,
            "score(*g s*) = 1 / (1 · 1) = 1: *g* and *s* occur once each, together. score(*o v*) = 2 / (4 · 2) = "
            "0.25: "
            "*o* occurs four times inside a word, in love, dogs, loved and you. BPE would have merged *o v* before "
            "*g s*.",
        ),
    },
    "unigram": {
        "restart": Question(
            "At the beginning of *restart*, our vocabulary has `▁rest` (−9.96) and `▁re` (−7.97). The rest of the "
            "word is then `art` (−10.97) or `start` (−9.34). Which segmentation does Unigram choose?",
            ("rest / art", "re / start", "r / e / start"),
            1,
            "−7.97 − 9.34 = −17.31 is more than −9.96 − 10.97 = −20.93. Longest match takes `▁rest` because it is "
            "longer and never sees what that costs. Unigram compares the sums.",
        ),
        "paths": Question(
            "The lattice of ▁研究生命科学 has 10 arcs: the 7 single characters (with ▁ for the space before the "
            "text), "
            "and 研究, 生命 and 科学. How many paths lead from the first point to the last?",
            ("3", "8", "21"),
            1,
            "Each of the three pairs is either one arc or two, independently: 2 · 2 · 2 = 8 paths. With thirty such "
            "pairs there are about a billion paths but only 91 arcs, which is why the Viterbi algorithm looks at arcs.",
        ),
    },
    "pipeline": {
        "decode": Question(
            "A tokenizer lower-cases the text and drops accents, then encodes *Café*. What does decoding its ids give?",
            ("Café", "café", "cafe"),
            2,
            "The normalizer has run before the model, so the model only ever saw *cafe*. The ids do not contain what "
            "was dropped, and a decoder cannot add it.",
        ),
        "contraction": Question(
            "GPT-2's expression takes letters as one pre-token and the contractions *'s*, *'t*, *'re* … as "
            "another. How "
            "is *don't* split before BPE sees it?",
            ("don't", "don / 't", "do / n't"),
            1,
            "The letters *don* match first; then the expression finds *'t*. A linguist would say *do* and *n't*; the "
            "expression knows characters, not words. No merge can join the two again.",
        ),
    },
    "special": {
        "count": Question(
            "“The end.<|endoftext|>Once upon” has 12 tokens when every character counts as text. How many does "
            "it have "
            "when the tokenizer recognizes special tokens?",
            ("6", "11", "12"),
            0,
            "As text, `<|endoftext|>` is seven tokens: `<`, `|`, `end`, `of`, `text`, `|`, `>`. Recognized, it "
            "is one, "
            "with id 31999. 12 − 7 + 1 = 6.",
        ),
        "forge": Question(
            "A chat program encodes what users type without recognizing special tokens. Can a user produce id 31999, "
            "the id of `<|endoftext|>`, by typing?",
            ("Yes, with these 13 characters", "Yes, if it is the whole message", "No"),
            2,
            "No text leads to that id, because no merge makes that token: typing it gives the seven ids 60, 124, 572, "
            "1109, 1566, 124 and 62. Only the program itself can add 31999.",
        ),
    },
    "vocabulary": {
        "lowest": Question(
            "In our BPE vocabulary, `·the`, `·Holmes` and `·dog` are all single tokens. Which has the lowest id?",
            ("·the", "·Holmes", "·dog"),
            0,
            "`·the` is 270, `·Holmes` 2062, `·dog` 15410. Ids follow the order of the merges, and frequent pairs are "
            "merged first. That Holmes comes before dog says what the corpus was: novels, among them those about a "
            "detective.",
        ),
        "five": Question(
            "*the*, *·the*, *The*, *·The*, *THE* (the dot is a space): how many of the five are single tokens of our "
            "BPE vocabulary?",
            ("1", "3", "5"),
            2,
            "All five: 513, 270, 729, 529 and 5991. To the tokenizer they have nothing in common but some bytes.",
        ),
    },
}
