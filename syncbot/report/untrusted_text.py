"""Upstream's words, written by strangers, made harmless: in a terminal they must not move the cursor, in
Markdown neither format nor notify anybody."""

from __future__ import annotations

import re

# Control characters, line separators, and what reorders the text around it (Trojan Source).
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
# An underscore between letters formats nothing.
_PUNCTUATION = re.compile(r"[\\`*\[\]<>#|~&$]|(?<![^\W_])_|_(?![^\W_])")
_ZERO_WIDTH = "\u200b"
# GitHub turns these into links where they stand in plain text, and tells the people behind them.
_LINKED = re.compile(
    r"(?<=@)(?=[\w-])|(?<=\\#)(?=\d)|(?<=\bGH)(?=-\d)|(?<=\w)(?=://)|(?<=www)(?=\.)", re.IGNORECASE
)


def one_line(text: str) -> str:
    """The text on one line: white space folded, control characters shown as a replacement character."""
    return _CONTROL.sub("\ufffd", " ".join(text.split()))


def printable(text: str) -> str:
    """A line of source text as it is, but for control characters; a tab stays."""
    return "\t".join(_CONTROL.sub("\ufffd", part) for part in text.split("\t"))


def label(text: str) -> str:
    """The text as Markdown for the label of a link or a heading inside one: no markup takes effect."""
    return _PUNCTUATION.sub(r"\\\g<0>", one_line(text))


def prose(text: str) -> str:
    """The text as Markdown outside links: besides, mentions, references and addresses stay plain text."""
    return _LINKED.sub(_ZERO_WIDTH, label(text))


def inline(text: str) -> str:
    """The text as Markdown between other parts of a sentence: like prose, with the spaces at its ends."""
    before, after = (" " if end.isspace() else "" for end in (text[:1], text[-1:]))
    return f"{before}{prose(text)}{after}" if text.strip() else text


def code(text: str) -> str:
    """The text as a Markdown code span."""
    text = one_line(text)
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"
