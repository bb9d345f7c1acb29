"""The Chinese of the document: evaluation, measures, conversations, language models, tokens and stages."""

from __future__ import annotations

SENTENCES = {
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
    # How the vocabulary is applied
    "How the vocabulary is applied. {}: by its own rule, the only exact one. {}: the longest piece at each position, "
    "from the left ({}, {}, {}, {}). {}: the fewest pieces. {}: BPE-dropout ({}). {}: a random segmentation ({}).": (
        "词表的应用方式。{}：按自身规则，只有这种方式与原实现一致；{}：从左到右每次取最长的词元（{}、{}、{}、{}）；"
        "{}：词元数最少；{}：BPE-dropout（{}）；{}：随机切分（{}）。"
    ),
    "the same seed gives the same tokens.": "种子相同，得到的词元也相同。",
    "the probability with which each possible merge is dropped at each step.": "每一步中丢弃每个可能的合并的概率。",
    "the exponent of the probabilities; near 0, all segmentations are as likely.": (
        "概率的指数；接近 0 时，各种切分的概率几乎相同。"
    ),
}
