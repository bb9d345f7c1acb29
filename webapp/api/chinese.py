"""The page `/api` in Chinese: the sentences of the OpenAPI document, which itself stays in English.

The sentences come from docstrings and models, so gettext cannot extract them. A key is a sentence with `{}` for each
code in backticks; its translation puts them in order, or by number. A test checks that none is missing.
"""

from __future__ import annotations

import re

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
    # Evaluation
    "Score segmentations against a gold text": "用标准答案评测分词结果",
    "The figures equal those of the official script of the SIGHAN bakeoffs. Each error belongs to the first kind that "
    "applies: {}, {}, {}, {}, {}, {}. Nothing is stored.": (
        "各项指标与 SIGHAN 评测的官方脚本一致。每处错误归入第一个符合的类别：{}、{}、{}、{}、{}、{}。不保存任何内容。"
    ),
    "The gold text: one sentence a line, with spaces between the words; or CoNLL-U.": (
        "标准答案：每行一句，词间用空格隔开；也可以是 CoNLL-U。"
    ),
    "Methods that segment the text. With {} at most 6.": "要评测的分词方法，与 {} 合计最多 6 个。",
    "Segmentations that you made elsewhere.": "用其他程序得到的分词结果。",
    "One word a line: a word of the gold text that is not among them is unknown (OOV). Default: the dictionary of each "
    "method decides, punctuation aside.": (
        "训练词表，每行一个词；标准答案中不在其中的词是未登录词（OOV）。默认由各方法自己的词典决定，标点除外。"
    ),
    "Keep a run of Latin letters or digits as one word, where a method can.": (
        "连续的拉丁字母或数字作为一个词（方法支持时）。"
    ),
    "The most errors of each method to list; all of them are counted.": "每个方法最多列出的错误数；计数不受此限。",
    "Lines of the gold text that have words.": "标准答案中有词的行数。",
    # Measures
    "Measure up to six tokenizers on a text": "用一段文本测量最多六个分词器",
    "The page {} defines each measure, with its source and what it does not tell. {} is measured on an article in 39 "
    "languages, not on the text; tokenizers of dictionaries do not have it.": (
        "页面 {} 给出每个指标的定义、出处，以及它说明不了什么。{} 是在同一篇文章的 39 种语言版本上测的，与文本无关；"
        "词典分词没有这一项。"
    ),
    "The name of a vocabulary, from {} or {}.": "词表的名称，来自 {} 或 {}。",
    "The tokenizers to measure, at most 6.": "要测量的分词器，最多 6 个。",
    "A gold segmentation to compare the boundaries of tokens with: words or morphemes separated by spaces, a sentence "
    "or a word a line; or CoNLL-U.": (
        "用来比较词元边界的标准切分：词或语素之间用空格隔开，每行一句或一个词；也可以是 CoNLL-U。"
    ),
    "Words in runs of Han characters.": "连续汉字中的词数。",
    "What decides where words are.": "划分词的依据。",
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
    # Messages
    "Count the tokens of a conversation, by message": "按消息统计一段对话的词元数",
    "A chat template renders the messages to a prompt, which is tokenized with special tokens recognized. The counts "
    "are those of the prompt as rendered; a provider may add tokens that it does not document.": (
        "聊天模板把消息渲染成提示词，再对它分词并识别特殊词元。计数针对渲染后的提示词；服务商可能另外加入未公开的词元。"
    ),
    "The messages as chat APIs take them: each with {} and {}, a text or a list of parts of the type {}, and with {}, "
    "{} or {} where they are needed.": (
        "聊天 API 格式的消息：每条有 {} 和 {}，内容是文本，或类型为 {} 的部分组成的列表；需要时还有 {}、{} 或 {}。"
    ),
    "The functions that the model may call, as chat APIs take them.": "模型可以调用的函数，格式与聊天 API 相同。",
    "A built-in chat template, one of {}, {}, {}, {}, {}, {}; or {} for the one that is published with the vocabulary. "
    "Default: the first.": "内置的聊天模板：{}、{}、{}、{}、{}、{} 之一；{} 表示随词表发布的模板。默认是第一个。",
    "A template of your own in place of {}: Jinja, as in {}, or the whole of such a file.": (
        "用自己的模板代替 {}：Jinja 源码，格式同 {}，也可以是整个这样的文件。"
    ),
    "The name of a language model, from {}, whose vocabulary counts if you send none.": (
        "语言模型的名称，见 {}；没有指定词表时使用它的词表。"
    ),
    "End the prompt with the beginning of a reply, if the template has one.": "提示词以回复的开头结束（模板支持时）。",
    "How to count markers of the template that the vocabulary has no token for: as a single token each, or as text.": (
        "词表中没有模板的某个标记时怎样计数：每个标记算一个词元，或作为文本切分。"
    ),
    "What the response has besides the counts: the prompt, its spans and its ids. Default: all.": (
        "除计数外，响应还包含哪些内容：提示词、其中的区段、编号。默认全部包含。"
    ),
    "All tokens of the prompt.": "提示词的全部词元。",
    "Tokens of the contents of messages.": "消息内容的词元。",
    "Tokens that the template adds, the reply prompt included.": "模板加入的词元，包括回复提示。",
    "Tokens of the reply prompt.": "回复提示的词元。",
    "Tokens that belong to no message: at the beginning, and of the tools.": (
        "不属于任何消息的词元：开头的，以及工具的。"
    ),
    "The tokens of each message, in order.": "每条消息的词元，按顺序。",
    "Markers of the template that the vocabulary has no token for.": "模板中有而词表中没有的标记。",
    "Tokens across a boundary between content and template; each counts where its first character is.": (
        "跨越内容与模板边界的词元数；每个按首字符所在的一侧计数。"
    ),
    "Special tokens and markers of the template that messages contain: the number of the message from 0, the offset in "
    "the prompt, and whether the tokenizer reads it as a special token. At most 20.": (
        "消息中出现的特殊词元和模板标记：消息的序号（从 0 起）、在提示词中的偏移、"
        "分词器是否把它当作特殊词元。最多 20 处。"
    ),
    "The vocabulary that tokenized the prompt.": "对提示词分词所用的词表。",
    "The template that rendered it; {} for one of your own.": "渲染所用的模板；自己的模板为 {}。",
    "The count by the rule that OpenAI publishes, with one of its vocabularies; null for others.": (
        "使用 OpenAI 的词表时，按其公布的规则得到的计数；其他词表为 null。"
    ),
    "The prompt as rendered.": "渲染后的提示词。",
    "What of the prompt belongs to which message, counted from 0; null for none.": (
        "提示词的各部分属于哪条消息（从 0 起）；不属于任何消息时为 null。"
    ),
    "The ids of the prompt; a marker that the vocabulary lacks has one beyond the vocabulary.": (
        "提示词的编号；词表中没有的标记使用词表之外的编号。"
    ),
    # Language models, and tokens around a text
    "List language models: the vocabulary, the context window and the price of each, with source and date": (
        "列出语言模型：各自的词表、上下文窗口和价格，并注明来源与日期"
    ),
    "The model of that name comes first. A name that only begins like a known one has the tokenizer of that model, but "
    "none of its figures.": (
        "名称相同的模型排在最前。名称只是开头与已知模型相同时，采用该模型的分词器，但不采用它的任何数字。"
    ),
    "Words that the names of a model contain. Default: all models.": "模型名称中含有的词。默认：全部模型。",
    "The name of a language model, from {}, in place of {}, or with the vocabulary that it uses.": (
        "语言模型的名称，见 {}；可代替 {}，也可与它所用的词表同时给出。"
    ),
    "Tokens to put before the text: each the content of a token, {} for that of a line end, or {} and an id.": (
        "加在文本之前的词元：写词元的内容；换行写作 {}；也可以写 {} 加编号。"
    ),
    "Tokens to put after the text.": "加在文本之后的词元。",
    "Tokens to add to the vocabulary. They get the ids after its last one and are found in the text as written.": (
        "要加进词表的词元，编号接在词表之后，按原样在文本中查找。"
    ),
    "With {}: its context window, and the price.": "使用 {} 时：它的上下文窗口和价格。",
    # tokens and reachability
    "Describe one token: its bytes, its characters, how it is made, and whether a text gives it": (
        "查看一个词元：它的字节、字符、由来，以及是否有文本能得到它"
    ),
    "List the tokens of a vocabulary that no text gives, 1,000 per page": (
        "列出词表中任何文本都得不到的词元（每页 1,000 个）"
    ),
    "Each token is decoded, and its text is encoded again, alone and beside other characters. The first request starts "
    "the computation, which takes some seconds.": (
        "对每个词元先解码，再把得到的文本单独编码，或与别的字符连在一起编码。第一次请求时开始计算，需要几秒钟。"
    ),
    "Its place by score, from 1.": "按得分的名次，从 1 起。",
    "Only the tokens of this reason; {}: those that merging makes other tokens from.": (
        "只列出属于此原因的词元；{}：能合并成别的词元的那些。"
    ),
    "The first 256 bytes in hexadecimal.": "前 256 个字节，十六进制。",
    "The first 64 characters.": "前 64 个字符。",
    "The first tokens whose text contains its own.": "文本中包含它的前几个词元。",
    "The frequency of a dictionary's word.": "词典中词的词频。",
    "The id of a token.": "词元的编号。",
    "The number of all tokens in each state.": "各种状态的词元数。",
    "The number of the page, from 1. A page has 1,000 tokens.": "页码，从 1 开始。每页 1,000 个词元。",
    "The number of tokens that were tried.": "试过的词元数。",
    "The number of unreachable tokens for each reason.": "每种原因的不可达词元数。",
    "The number of unreachable tokens.": "不可达词元数。",
    "The part of speech of a dictionary's word.": "词典中词的词性。",
    "The piece as files of Hugging Face have it: bytes in GPT-2's byte alphabet.": (
        "Hugging Face 的文件中的写法：字节用 GPT-2 的字节字母表示。"
    ),
    "The piece as it is in the vocabulary: a string, or {} if it is not valid UTF-8.": (
        "词表中的词片：字符串；如果不是有效的 UTF-8，则为 {}。"
    ),
    "The rank of the merge that makes it.": "合成它的那次合并的序号。",
    "The share of the tokens that have been tried, from 0 to 1.": "已试过的词元的比例，从 0 到 1。",
    "The text that the piece stands for; null for a part of a character.": (
        "词片所代表的文本；如果只是字符的一部分，则为 null。"
    ),
    "The tokens before and after it by id.": "编号在它前后的词元。",
    "The two tokens that the merge joins.": "合并所连接的两个词元。",
    "The unreachable tokens that merging makes other tokens from.": "能合并成别的词元的不可达词元数。",
    "Tokens whose text differs by a space or by case.": "文本只差一个空格或大小写的词元。",
    "Whether it is an added or special token.": "是否为附加词元或特殊词元。",
    "Whether it stands for unknown text.": "是否代表未知文本。",
    "While it is {}, ask again after the seconds of {}.": "为 {} 时，请按 {} 给出的秒数稍后再次请求。",
}
SENTENCES |= {
    # The stages of a tokenizer
    "A split pattern of your own to compare, in the syntax of Python’s package {}.": (
        "用来比较的自定义切分模式，采用 Python 的 {} 包的语法。"
    ),
    "Encode and decode a text, and say which stage changed what": "对文本编码再解码，指出哪个阶段改了什么",
    "Every difference between the text and the decoded text is listed with the stage of the pipeline that is the "
    "cause, and with all stages that changed these characters.": (
        "列出原文与解码结果的每一处差异：造成差异的阶段，以及改动过这些字符的所有阶段。"
    ),
    "For a step with a split pattern, each pre-token has the alternative of the pattern that matched it. With a "
    "pattern of your own, the response also has its pre-tokens, and where the two split differently.": (
        "如果某一步使用切分模式，每个预分词片段都标明由模式的哪个分支匹配。提供自定义模式时，还会给出它的预分词片段，"
        "以及两者切分不同的地方。"
    ),
    "Split a text into pre-tokens, stage by stage": "把文本逐步切成预分词片段",
    "The changes in order, at most 1,000; making them in the text gives the decoded text.": (
        "按顺序列出的改动，最多 1,000 处；在原文中作这些改动，就得到解码结果。"
    ),
    "The name of a vocabulary, from {}.": "词表名称，见 {}。",
    "The pre-tokens of {}; null without one.": "使用 {} 得到的预分词片段；没有提供时为 null。",
    "The steps of the pre-tokenizer, in order.": "预分词的各个步骤，按顺序排列。",
    "The text after the normalizer.": "归一化之后的文本。",
    "The text, at most 100,000 bytes of UTF-8.": "文本，最多 100,000 字节（UTF-8）。",
    "Where the two split differently, at most 1,000; null without {}.": (
        "两者切分不同的地方，最多 1,000 处；没有提供 {} 时为 null。"
    ),
    "Whether the decoded text is the text.": "解码结果是否与原文相同。",
}

STATUSES = {
    200: "成功",
    201: "已创建",
    400: "请求格式错误",
    403: "禁止访问",
    404: "未找到",
    409: "冲突",
    410: "已删除或过期",
    413: "内容过大",
    415: "不支持的媒体类型",
    422: "字段无效",
    429: "请求过于频繁",
    500: "服务器内部错误",
    503: "暂不可用",
    507: "存储空间不足",
}

_KINDS = {
    "string": "字符串",
    "integer": "整数",
    "number": "数",
    "boolean": "布尔值",
    "object": "对象",
    "file": "文件",
}
_CODE = re.compile("`[^`]*`")
_USERS = re.compile(r"((?:\{\}, )*\{\}): ")  # the algorithms that an option is for


def sentence(english: str) -> str | None:
    """The Chinese of a sentence of the document, None if there is none.

    >>> sentence("The words of the vocabulary `own-dictionary`, one per line.")
    '词表 `own-dictionary` 的词，每行一个。'
    >>> sentence("`fmm`, `bmm`: keep a run of Latin letters or digits as one token.")
    '`fmm`、`bmm`：把连续的拉丁字母或数字作为一个词元。'
    """
    codes = _CODE.findall(english)
    key = _CODE.sub("{}", " ".join(english.split()))
    users = _USERS.match(key)
    before = ""
    if users:
        count = users[1].count("{}")
        before, codes, key = "、".join(codes[:count]) + "：", codes[count:], key[users.end() :]
    found = SENTENCES.get(key)
    return None if found is None else before + found.format(*codes)


def kind(english: str) -> str:
    """The Chinese of a type; names of models stay.

    >>> kind("list of integer, null"), kind("integer, list of integer"), kind("Counts"), kind("fmm | bmm")
    ('整数列表，或 null', '整数，或整数列表', 'Counts', 'fmm | bmm')
    """
    first, *others = map(_one_kind, english.split(", "))
    return first + "".join(f"，或 {one}" if one[0].isascii() else f"，或{one}" for one in others)


def _one_kind(english: str) -> str:
    inner = english.removeprefix("list of ")
    if inner == english:
        return _KINDS.get(english, english)
    found = _one_kind(inner)
    return f"{found}的列表" if found.endswith("列表") else f"{found} 列表" if found.isascii() else f"{found}列表"
