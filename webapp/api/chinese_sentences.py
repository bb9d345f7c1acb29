"""The Chinese of the document: what tokenizes, and what all operations share."""

from __future__ import annotations

SENTENCES = {
    # About the API
    "The API tokenizes text with the same vocabularies and options as the pages.": (
        "API 分词所用的词表和选项与网页相同。"
    ),
    "Bodies are JSON in UTF-8. The API rejects fields that are not described here. A piece that is not valid UTF-8, as "
    "in byte-level BPE, is written {}, in hexadecimal; every other piece is a string. Offsets count code points, like "
    "indexes of Python strings.": (
        "请求体和响应体都是 UTF-8 编码的 JSON。请求中不得有本页没有列出的字段。词片一般是字符串；"
        "如果不是有效的 UTF-8（例如在字节级 BPE 中），就用十六进制写成 {}。偏移以码点计算，与 Python 字符串的下标相同。"
    ),
    "Errors are problem details (RFC 9457, {}); {} lists the invalid parts of the request. The status is 422 if a "
    "field "
    "is invalid, 409 if fields contradict each other, and 503 with {} while the site downloads a vocabulary.": (
        "错误响应采用 RFC 9457 的格式（{}），其中 {} 列出请求中无效的部分。字段无效时状态码是 422，"
        "字段互相矛盾时是 409；本站正在下载词表时是 503，并带有 {}。"
    ),
    "You need no key. Scripts on any site may read from the API. Requests that store something are accepted from "
    "programs and from this site's own pages only.": (
        "不需要密钥。任何网站上的脚本都可以通过 API 读取数据；会保存内容的请求，只接受来自程序和本站页面的。"
    ),
    # Operations
    "Tokenize a text, or up to 1,000 texts": "对一段或最多 1,000 段文本分词",
    "The response has the keys that {} names. For {}, each key holds a list with one entry per text. A batch counts as "
    "one request.": "响应中有 {} 指定的各项。使用 {} 时，每一项都是列表，每段文本对应一个元素。一批文本只算一次请求。",
    "Count the tokens of a text, or of several texts": "统计一段或多段文本的词元数",
    "This is faster than {}. For {}, each key of the response holds a list with one entry per text. With {}, {} has "
    "its context window and the price of all texts together.": (
        "比 {} 更快。使用 {} 时，响应的每一项都是列表，每段文本对应一个元素。"
        "使用 {} 时，{} 给出上下文窗口和全部文本的价格。"
    ),
    "Decode ids to text": "把编号解码成文本",
    "With {} in {}, the response has the bytes of each token and the state of the text after it: a client that prints "
    "{} of each token never shows half a character. For a vocabulary {}, send the same {} as when you tokenized the "
    "text.": (
        "{1} 中有 {0} 时，响应包含每个词元的字节以及其后文本的状态：逐个输出各词元的 {2}，就不会显示半个字符。"
        "使用 {3} 这类词表时，{4} 必须与分词时相同。"
    ),
    "The keys of the response. {} is for at most 100,000 ids. Default: only {}.": (
        "响应中的各项。{} 最多用于 100,000 个编号。默认只有 {}。"
    ),
    "The decoded text, with U+FFFD for bytes that are not valid UTF-8.": (
        "解码后的文本；不是有效 UTF-8 的字节显示为 U+FFFD。"
    ),
    "The tokens one by one.": "逐个列出的词元。",
    "Split a text into parts of at most {} tokens": "把文本切成若干段，每段不超过 {} 个词元",
    "Each part has at most {} tokens when it is encoded alone. Without an overlap, the concatenated parts are the "
    "text. "
    "A sentence ends after . ! ? … and any closing quotes or brackets, if white space and then no lower-case letter "
    "follows; after the full-width equivalents, with or without white space; and at an empty line.": (
        "每段单独编码时不超过 {} 个词元。没有重叠时，各段依次相连就是原文。句子在以下位置结束："
        ". ! ? … 和随后的引号、括号之后，如果接着是空白、且空白之后不是小写字母；对应的全角标点之后，"
        "不论有没有空白；以及空行处。"
    ),
    "List the ambiguities of a text with a dictionary, and what each method of word segmentation chooses": (
        "列出一段文本在某部词典下的所有切分歧义，以及各种分词方法的切分结果"
    ),
    "An overlapping ambiguity (交集型) is a chain of dictionary words that cross: they share characters and neither "
    "contains the other. A combinational ambiguity (组合型) is a word that consists of two or more words. Methods that "
    "cannot use the dictionary use a vocabulary of their own.": (
        "交集型歧义是一串互相交叉的词：它们有共同的字，又互不包含。组合型歧义是可以完全切分成两个或更多词的词。"
        "不能使用该词典的方法使用自己的词表。"
    ),
    "List the vocabularies: built-in, trained or pasted, and well-known ones that the site downloads": (
        "列出词表：本站自带的、训练或粘贴而成的，以及由本站下载的知名词表"
    ),
    "The list does not show uploaded vocabularies: only people who know the name of one can use it.": (
        "列表中没有上传的词表，只有知道名称的人才能使用。"
    ),
    "Upload a vocabulary file, and use it by the {} in the response": "上传词表文件，之后用响应中的 {} 来使用它",
    "The body is {} with the file in the field {}. Send a {} together with its {}, each in a field {}. The formats are "
    "tokenizer.json, SentencePiece models, .tiktoken, vocab.txt, vocab.json with merges.txt, tekken.json, merges as "
    "nested lists, merge codes of subword-nmt, n-grams as an ARPA file or as counts, tokens with scores, and word "
    "lists. The name depends on the content alone: the same file always has the same name, and anyone who knows it can "
    "use it.": (
        "请求体是 {}，文件放在字段 {} 里。{} 要与对应的 {} 一起发送，各放在一个 {} 字段里。"
        "支持的格式有 tokenizer.json、SentencePiece 模型、.tiktoken、vocab.txt、vocab.json 加 merges.txt、"
        "tekken.json、以嵌套列表保存的合并规则、subword-nmt 的合并规则、"
        "ARPA 文件或计数形式的 N-gram、词元与得分的 JSON，以及词典。"
        "名称只取决于内容：同样的文件总有同样的名称，知道名称的人都能使用。"
    ),
    "Describe a vocabulary: its size, tokens and pipeline": "查看词表的大小、词元和处理流程",
    "List the tokens of a vocabulary, 100 per page, or search them": "列出词表的词元（每页 100 个），或者搜索",
    "Results start with the token whose id is the query, then exact matches, then tokens that contain the query.": (
        "先列出编号与查询相同的词元，再列出完全匹配的，最后列出包含查询内容的。"
    ),
    "Share a result under a permanent link": "分享结果，生成固定链接",
    "The same text, vocabulary, options, title and note always have the same link. Each request gets its own secret "
    "for "
    "deleting it.": "文本、词表、选项、标题和备注都相同，链接就相同。每次请求都会得到各自的删除密钥。",
    "Get a snapshot: the text and its tokens at the time of sharing": "读取快照：文本，以及分享时的词元",
    "A snapshot never changes. The status is 410 after it has been deleted or has expired.": (
        "快照不会改变。删除或过期之后，状态码是 410。"
    ),
    # Fields of requests
    "The name of a vocabulary, from {} or {}. Default: the first one for the algorithm.": (
        "词表的名称，来自 {} 或 {}。默认是该算法的第一个词表。"
    ),
    "Default: the first algorithm of the vocabulary; without a vocabulary, {}.": (
        "默认是词表的第一种算法；没有指定词表时是 {}。"
    ),
    "keep a run of Latin letters or digits as one token.": "把连续的拉丁字母或数字作为一个词元。",
    "lower-case the text first (built-in vocabulary only).": "先把文本转成小写（仅限本站自带的词表）。",
    "find words that are not in the dictionary.": "识别词典之外的词。",
    "which words {} lists; the tokens are always those of {}.": "{} 列出哪些词；词元总是 {} 的结果。",
    "how many words an n-gram has.": "一个 n 元组有几个词。",
    "how unseen n-grams are estimated.": "怎样估计没有见过的 n 元组。",
    "Recognize special tokens that are written in the text.": "识别文本中写出的特殊词元。",
    "Add the special tokens that the vocabulary puts around a text.": "加上词表规定的首尾特殊词元。",
    "The words of the vocabulary {}, one per line.": "词表 {} 的词，每行一个。",
    "Changes to a dictionary, one per line: {} adds a word or sets its frequency, {} removes it.": (
        "对词典的修改，每行一项：{} 添加一个词或设置词频，{} 删除一个词。"
    ),
    "The corpus to train a vocabulary {} on. Default: the text itself, or all texts.": (
        "训练 {} 这类词表的语料。默认是文本本身，或所有文本。"
    ),
    "Merges of a vocabulary {}; for {}, pieces.": "{} 这类词表的合并次数；对于 {}，是词片数。",
    "The text. Send either {} or {}.": "文本。{} 和 {} 只能选一个。",
    "Several texts. Each key of the response then holds a list with one entry per text, in order.": (
        "多段文本。这时响应的每一项都是列表，依次对应各段文本。"
    ),
    "The keys of the response. Default: all of them.": "响应包含哪些项。默认全部包含。",
    "The ids of tokens.": "词元的编号。",
    "Omit special tokens from the text.": "解码时略去特殊词元。",
    "The text.": "文本。",
    "The most tokens that a part may have when it is encoded alone.": "每段单独编码时最多有多少个词元。",
    "The most tokens at the end of a part that the next one repeats; at most half of {}.": (
        "后一段开头最多重复前一段末尾的多少个词元；不超过 {} 的一半。"
    ),
    "Where parts end. A part without a sentence ends with a line, one without a line with a sentence, and one without "
    "either after a token.": (
        "在哪里分段。一段之内没有句末时在行末结束，没有行末时在句末结束，两者都没有时在某个词元之后结束。"
    ),
    "The file; or {} and {}, in two such parts.": "文件；如果是 {} 和 {}，则分成两个这样的部分。",
    "The name of a vocabulary.": "词表的名称。",
    "A part of the tokens, or an id. The search is case-sensitive.": "词元的一部分，或编号。区分大小写。",
    "The number of the page, from 1. A page has 100 tokens.": "页码，从 1 开始。每页 100 个词元。",
    "A title, one line.": "标题，一行。",
    "A note, one or two paragraphs.": "备注，一两段。",
    "The last day of the snapshot, in UTC. Default: it does not expire.": "快照的最后一天（UTC）。默认不过期。",
    "The id of a snapshot.": "快照的编号。",
    "The name of a dictionary, from {} or an upload.": "词典的名称，来自 {} 或上传的文件。",
    "Keep a run of Latin letters or digits as one token.": "把连续的拉丁字母或数字作为一个词元。",
    "The kind of ambiguities to list. Default: both, overlapping ones first.": (
        "列出哪一类歧义。默认两类都列出，交集型在前。"
    ),
    "How many places to leave out at the beginning of the list.": "略去列表开头的多少处歧义。",
    "The most places to list.": "最多列出多少处歧义。",
    # Fields of responses
    "The lines of the dictionary that were skipped. Absent if there are none.": "词典中被跳过的行；没有时不出现。",
    "The number of overlapping ambiguities: chains of crossing words.": "交集型歧义的个数，即交叉的词构成的链数。",
    "The number of words that consist of two or more words.": "组合型歧义的个数，即可以切分成两个或更多词的词数。",
    "The number of different words among them.": "其中不同的词数。",
    "How many characters of the text the methods segmented: all, up to 100,000.": (
        "各方法切分了文本的多少个字符：全部，最多 100,000 个。"
    ),
    "The ids of the tokens.": "各词元的编号。",
    "The pieces of the tokens.": "各词元的词片。",
    "The positions of the tokens.": "各词元的偏移。",
    "The length of the text.": "文本的长度。",
    "The number of tokens; null if it depends on the text or the dictionary.": (
        "词元的个数；如果取决于文本或词典，则为 null。"
    ),
    "The words of full and search mode, which overlap. Absent in precise mode.": (
        "全模式和搜索模式的词，彼此重叠。精确模式没有这一项。"
    ),
    "Characters per token.": "每个词元的字符数。",
    "The number of tokens of each length in characters.": "各种长度（按字符计）的词元数。",
    "The number of tokens of each script or other kind.": "各种文字或其他类别的词元数。",
    "The page of the snapshot.": "快照的页面。",
    "The secret for deleting the snapshot. Only this response contains it.": "删除快照用的密钥，只出现在这次响应里。",
    "The page that deletes the snapshot.": "删除快照的页面。",
    "The tokenizers of a comparison. Each row then has the fields below.": (
        "对比中的各个分词器。这时每一行都有下面这些字段。"
    ),
    "The SHA-256 of the vocabulary's content.": "词表内容的 SHA-256。",
    "The options that differ from their defaults.": "与默认值不同的选项。",
    "The ids at the time of sharing.": "分享时的编号。",
    "Start and end (exclusive) of each token, in code points of the text that you sent.": (
        "每个词元在所发文本中的起点和终点（不含终点），以码点计。"
    ),
    "The indexes of the tokens that stand for unknown text.": "未知词元的下标。",
    "The indexes of the special tokens.": "特殊词元的下标。",
    # Ways to apply a vocabulary
    "How the vocabulary is applied. {}: by its own rule, the one that models expect. {}: the longest piece at each "
    "position, from the left ({}, {}, {}, {}). {}: the fewest pieces. {}: BPE-dropout ({}). {}: a random segmentation "
    "({}).": (
        "切分方式。{}：词表自身的规则，也是模型所期望的；{}：从左到右，每个位置取最长的词片（{}、{}、{}、{}）；"
        "{}：词片数最少；{}：BPE-dropout（{}）；{}：随机抽取一种切分（{}）。"
    ),
    "the probability with which each possible merge is dropped at each step.": (
        "每一步中，每个可行的合并被丢弃的概率。"
    ),
    "the exponent of the probabilities; near 0, all segmentations are equally likely.": (
        "概率的指数；接近 0 时，各种切分的概率几乎相同。"
    ),
    "the same seed gives the same tokens.": "种子相同，得到的词元也相同。",
}
