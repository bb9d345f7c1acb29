"""The page `/api` in Chinese: the sentences of the OpenAPI document, which itself stays in English.

The sentences come from docstrings and models, so gettext cannot extract them. A key is a sentence with `{}` for each
code in backticks; its translation puts them in order, or by number. A test checks that none is missing.
"""

import re

from webapp.api import chinese_analysis, chinese_sentences

SENTENCES = chinese_sentences.SENTENCES | chinese_analysis.SENTENCES

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
