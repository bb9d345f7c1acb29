"""Texts with a small dictionary each, which FMM and BMM segment differently."""

from __future__ import annotations

DICTIONARIES = (
    ("研究生命科学", ("研究", "研究生", "生命", "科学")),
    ("结婚的和尚未结婚的", ("结婚", "的", "和", "和尚", "尚未")),
)
