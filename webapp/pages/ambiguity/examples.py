"""Example texts: chains of one to four, and a word that is two words elsewhere."""

EXAMPLES = ("结婚的和尚未结婚的", "研究生命科学", "结合成分子时", "他从马上下来，马上就来")
