"""Scripts of characters as in Hugging Face's `tokenizers`: characters outside its table have none."""

from __future__ import annotations

from functools import cache, lru_cache

import regex

from webapp.core.text.bert_characters import escaped


def scripts(text: str) -> list[str | None]:
    """The script of each character; None for a space and for a character outside the table.

    >>> scripts("aя ー研")
    ['Latin', 'Cyrillic', None, 'Han', 'Han']
    """
    return list(map(_script, text))


@lru_cache(1 << 16)
def _script(character: str) -> str | None:
    if character == " " or _unknown().match(character):
        return None
    if character in _OTHERWISE:
        return _OTHERWISE[character]
    found = (name for name, pattern in _patterns().items() if pattern.match(character))
    name = next(found, None)
    return "Han" if name in ("Hiragana", "Katakana") else name


@cache
def _unknown() -> regex.Pattern[str]:
    return regex.compile(f"[{escaped(_LATER)}]")


@cache
def _patterns() -> dict[str, regex.Pattern[str]]:
    return {name: regex.compile(rf"\p{{Script={name}}}") for name in NAMES}


# The long vowel mark counts as Japanese; the script of the others has changed since.
_OTHERWISE = {
    "ー": "Han",
    "\u0589": "Common",
    "\u061c": "Common",
    "\u0953": "Devanagari",
    "\u0954": "Devanagari",
}

# The most common first.
_NAMES = """
Latin Common Han Hiragana Katakana Hangul Cyrillic Arabic Greek Hebrew Inherited Adlam Ahom Anatolian_Hieroglyphs
Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid
Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Coptic Cuneiform Cypriot Deseret
Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic
Grantha Gujarati Gunjala_Gondi Gurmukhi Hanifi_Rohingya Hanunoo Hatran Imperial_Aramaic Inscriptional_Pahlavi
Inscriptional_Parthian Javanese Kaithi Kannada Kayah_Li Kharoshthi Khmer Khojki Khudawadi Lao Lepcha Limbu
Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi
Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani
Myanmar Nabataean Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian
Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Oriya Osage Osmanya
Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada
Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa
Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Ugaritic Vai Wancho
Warang_Citi Yezidi Yi Zanabazar_Square Khitan_Small_Script
"""

NAMES: tuple[str, ...] = tuple(_NAMES.split())
"""Unicode's names of the scripts in the table, the most common first, including `Common` and `Inherited`."""

# Assigned to a script after the table was made.
_LATER = """
558 560 588 58B-58C 5C8-5C9 5EF 61D 7FD-7FF 860-86A 870-891 897-89F 8B5 8BE-8D3 9FC-9FE A76 AFA-AFF B53-B55 C04
C3C C5C-C5D C77 C84 CDC-CDD CF3 D00 D04 D3B-D3C D81 E86 E89 E8C E8E-E93 E98 EA0 EA8-EA9 EAC EBA ECE 170D 1715 171F
180F 1878 1ABF-1AF0 1B4C 1B4E-1B4F 1B7D-1B7F 1C89-1C8A 1C90-1CBA 1CBD-1CBF 1CF7 1CFA 1DF6-1DFA 208F 209D-209F
20BF-20C4 23FF 2427-2429 2B96-2B97 2BBA-2BBC 2BC9 2BD2-2BEB 2BF0-2BFF 2C2F 2C5F 2E45-2E5D 2E60-2E63 2FFC-2FFF
312E-312F 31BB-31BF 31E4-31E5 31EF 32FF 4DB6-4DBF 9FD6-9FFF A7AF A7B8-A7DD A7E2 A7F1-A7F6 A82C A8FE-A8FF AB66-AB6D
FBC2-FBD2 FD40-FD4F FD90-FD91 FDC8-FDCF FDFE-FDFF 1019C 1032D-1032F 10780-10785 10787-107B0 107B2-107BF
10A34-10A35 10A48 10D00-10D27 10D30-10D39 10E80-10EA9 10EAB-10EAD 10EB0-10EB1 10EC2-10EC7 10EC9-10EEE 10EF0-10F27
10F30-10F59 10FB0-10FCB 10FE0-10FF6 11070-11075 110C2 110CD 11144-11147 111CE-111CF 1123F-11241 1133B 1145A
1145E-11461 116B8-116B9 116D0-116E3 1171A 11740-11746 11800-1183B 11900-11906 11909 1190C-11913 11915-11916
11918-11935 11937-11938 1193B-11946 11950-11959 119A0-119A7 119AA-119D7 119DA-119E4 11A00-11A47 11A50-11AA2
11AB0-11ABF 11B00-11B0A 11B60-11B67 11D00-11D06 11D08-11D09 11D0B-11D36 11D3A 11D3C-11D3D 11D3F-11D47 11D50-11D59
11D60-11D65 11D67-11D68 11D6A-11D8E 11D90-11D91 11D93-11D98 11DA0-11DA9 11DF0-11DF1 11EE0-11EF8 11FB0 11FC0-11FF1
11FFF 1246F 12475-1247F 12550-125A7 1264C-12686 1342F-13455 13460-143FA 16E40-16E9A 16F45-16F4A 16F4F 16F7F-16F87
16FE1-16FE4 16FF0-16FF6 187ED-187FF 18AF3-18CDA 18CFF-18D20 18D80-18DF2 1AFF0-1AFF3 1AFF5-1AFFB 1AFFD-1AFFE
1B002-1B128 1B132 1B150-1B152 1B155 1B164-1B168 1B170-1B2FB 1CC00-1CCFC 1CD00-1CEB3 1CEBA-1CED0 1CED2-1CED4
1CEDD-1CEFD 1CF00-1CF2D 1CF30-1CF46 1CF50-1CFC3 1D127-1D128 1D1E9-1D1FF 1D250-1D281 1D2C0-1D2D3 1D2E0-1D2F3
1D372-1D378 1D6A6 1DB00-1DB1C 1DF00-1DF81 1DF90-1DF96 1DFCD-1DFFF 1E030-1E06D 1E08F 1E100-1E12C 1E130-1E13D
1E140-1E149 1E14E-1E14F 1E2C0-1E2F9 1E2FF 1E7E0-1E7E6 1E7E8-1E7EB 1E7ED-1E7EE 1E7F0-1E7FE 1E94B 1EC71-1ECB4
1ED01-1ED3D 1F10D-1F10F 1F12F 1F16C-1F16F 1F1AD-1F1AE 1F260-1F265 1F6D3-1F6D9 1F6DC-1F6DF 1F6F7-1F6FC 1F774-1F77F
1F7D5-1F7DB 1F7E0-1F7EB 1F7F0-1F7FF 1F8B0-1F8BB 1F8C0-1F8C1 1F8D0-1F8D8 1F900-1F90F 1F91F 1F928-1F92F 1F931-1F932
1F93F 1F94C-1F94F 1F95F-1F97F 1F992-1F9BF 1F9C1-1FA57 1FA60-1FA6D 1FA70-1FA7C 1FA80-1FAC6 1FAC8 1FACC-1FADD
1FADF-1FAEB 1FAEF-1FAFA 1FB00-1FB92 1FB94-1FBFA 2A6D7-2A6DF 2B735-2B73F 2B81E 2CEA2-2CEAD 2CEB0-2EBE0 2EBF0-2EE5D
30000-3134A 31350-33479
"""
