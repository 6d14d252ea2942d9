"""Words written by strangers, made harmless: in a terminal they must not move the cursor, in Markdown neither
format nor notify anybody, in the log of a workflow give no command."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

# What nobody sees, or what changes how its surroundings are seen: control characters, line separators, signs
# that reorder text (Trojan Source), fillers and joiners without width, tags, halves of surrogate pairs.
_HIDDEN = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# A joiner makes one picture of two; elsewhere it hides.
_PICTURE = r"\u2190-\u2bff\U0001f000-\U0001faff"
_JOINER = rf"(?<![{_PICTURE}\ufe0f])\u200d|\u200d(?![{_PICTURE}])"
_UNSEEN = re.compile(rf"[{_HIDDEN}]|{_JOINER}")
_CONTROL = re.compile(rf"[\t\n{_HIDDEN}]|{_JOINER}")
_HALF = re.compile(r"[\ud800-\udfff]")
# What a runner of workflows takes for a command: two colons where a line begins, `##[` anywhere.
_COMMAND = re.compile(r"^([^\S\n]*)(?=::[A-Za-z])|(?<=#)(?=#\w*\[)", re.MULTILINE)
_BRACKET = re.compile(r"(?<=#)#(?=\w*\[)")
# An underscore between letters formats nothing.
_PUNCTUATION = re.compile(r"[\\`*\[\]<>#|~&$]|(?<![^\W_])_|_(?![^\W_])")
# What begins a list or draws a line where a text does.
_BLOCK = re.compile(r"^(\d{1,9}(?=[.)])|(?=[-+=]))([-+=.)])(?=[\s=-])")
# A character without width, as an entity: the text of the Markdown itself has none.
_ZERO_WIDTH = "&#8203;"
# GitHub turns these into links where they stand in plain text, and tells the people behind them.
_LINKED = re.compile(
    r"(?<=@)(?=[\w-])|(?<=\\#)(?=\d)|(?<=\bGH)(?=-\d)|(?<=\w)(?=://)|(?<=www)(?=\.)", re.IGNORECASE
)


def visible(text: str) -> str:
    """The text with its lines and tabs, and with escapes such as ``\\x1b`` for what cannot be seen."""
    return _UNSEEN.sub(_escape, text)


def inert(text: str) -> str:
    """As `visible`; besides, a runner of workflows finds no command in it."""
    return _COMMAND.sub(r"\1\\", visible(text))


def one_line(text: str) -> str:
    """The text on one line: white space folded, escapes for what cannot be seen."""
    return _CONTROL.sub(_escape, " ".join(text.split()))


def printable(text: str) -> str:
    """A line of source text as it is, but for what cannot be seen; a tab stays."""
    return "\t".join(_CONTROL.sub(_escape, part) for part in text.split("\t"))


def web_address(url: str | None) -> str | None:
    """A page as the target of links: nothing in it ends a link, and no password is in it; None for none."""
    try:
        parts = urlsplit(url or "")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return None
    except ValueError:
        return None
    plain = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])).rstrip("/")
    return quote(plain, safe="%/:=&?~#+!$,;@[]", errors="replace")


def json_text(document: Any, indent: int | None = 1) -> str:
    """A document as JSON in ASCII that every reader takes: no halves of surrogate pairs, no numbers that are
    none, nothing that a runner of workflows takes for a command."""
    try:
        text = json.dumps(document, indent=indent, allow_nan=False)
    except ValueError:
        text = json.dumps(_whole(document), indent=indent)
    if "\\ud" in text:
        text = json.dumps(_whole(document), indent=indent)
    return _BRACKET.sub(r"\\u0023", text)


def _whole(value: Any) -> Any:
    """The value with escapes for halves of surrogate pairs, and None for numbers that are none."""
    match value:
        case str():
            return _HALF.sub(_escape, value)
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {_whole(key): _whole(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_whole(inner) for inner in value]
    return value


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:
        # A byte of a file name that is not UTF-8.
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def label(text: str) -> str:
    """The text as Markdown for the label of a link or a heading inside one: no markup takes effect."""
    return _BLOCK.sub(r"\1\\\2", _PUNCTUATION.sub(r"\\\g<0>", one_line(text)))


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


def block(text: str, language: str = "") -> str:
    """The text as a Markdown code block, line by line."""
    lines = [printable(line) for line in text.split("\n")]
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return "\n".join([f"{fence}{language}", *lines, fence])


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table of cells that are Markdown; a pipe ends a cell, in code too, unless it is escaped."""
    lines = [columns, ["---"] * len(columns), *rows]
    shown = ([text.replace("\\|", "|").replace("|", "\\|") for text in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in shown)
