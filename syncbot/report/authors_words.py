"""Reads the purpose of a commit from its author's subject and description; adds nothing."""

from __future__ import annotations

import re

from syncbot.report.model import ReportCommit
from syncbot.report.untrusted_text import one_line

_BODY = 360
# A trailer as git-interpret-trailers(1) has it: folded lines are put together before.
_TRAILER = re.compile(r"(?P<token>[A-Za-z0-9-]+)[ \t]*:[ \t]*(?P<value>\S.*)")
_MAIL = re.compile(r"<\S+@\S+>")
# What stands around the words of a subject: labels in brackets before, the number of the request after.
_LABELS = re.compile(r"^(\s*\[[^\]]*\]\s*:?)+\s*|\s*\(#\d+\)\s*$")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^a-z\s])|(?<=[\u3002\uff01\uff1f])")
# Fewer words, such as "Closes the issue.", say nothing of what a change is for.
_WORDS = 5


def quoted(body: str) -> str:
    """The first paragraph of a message that is prose, shortened; templates, lists and trailers are none."""
    text = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n", text):
        shown = one_line(paragraph)
        if (
            shown
            and not _is_trailers(paragraph)
            and not re.match(r"[#>*|`-]|[\w-]+-by:|https?:", shown, re.IGNORECASE)
        ):
            return shown if len(shown) <= _BODY else f"{shown[:_BODY].rsplit(' ', 1)[0]} …"
    return ""


def authors_words(commit: ReportCommit) -> tuple[str, str]:
    """The first sentence of the description, empty where there is none worth it, and what follows it."""
    text = quoted(commit.body)
    first, *others = _SENTENCE.split(text, maxsplit=1)
    if len(first.split()) < _WORDS and first.isascii():
        return "", text
    return first, others[0] if others else ""


def bare_subject(subject: str) -> str:
    """A subject without labels and the number of its request; as it is where nothing else is in it."""
    return _LABELS.sub("", _LABELS.sub("", one_line(subject))) or one_line(subject)


def _is_trailers(paragraph: str) -> bool:
    """Whether a paragraph has trailers alone: what names a person, or has one word; "Note: …" is prose."""
    rows = re.sub(r"\n[ \t]+", " ", paragraph.strip()).splitlines()
    return all((found := _TRAILER.fullmatch(row.rstrip())) and _named(found, len(rows) > 1) for row in rows)


def _named(trailer: re.Match[str], several: bool) -> bool:
    token, value = trailer["token"], trailer["value"]
    return bool(_MAIL.search(value)) or (" " not in value and (several or "-" in token))
