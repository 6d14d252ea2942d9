"""Reports of upgrades, which ``syncbot check --format upgrade`` wrote as Markdown, as pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from markupsafe import Markup

from syncbot.errors import UsageError
from syncbot.report.covered import covered_in

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

#: What is shown of a report at most, in bytes of Markdown: its page is about half as long again.
MOST = 150_000

_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_FOLD = re.compile(r"^(?:<details><summary>(?P<summary>.*)</summary>|(?P<end></details>))$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class UpgradePage:
    """One report: what its page is called, its heading, its elements, and how many lines
    of it were too many for a page."""

    name: str
    title: str
    content: Markup
    cut: int = 0


def upgrade_pages(texts: Mapping[str, str]) -> tuple[UpgradePage, ...]:
    """The pages of reports by the names of their files, in that order; of several on one upgrade the last.

    Raises UsageError for a text that is no such report.
    """
    found: dict[str, UpgradePage] = {}
    for file, text in texts.items():
        ends, heading = covered_in(text).values(), _TITLE.search(text)
        if not ends or heading is None:
            raise UsageError(
                f"{file} is no report of an upgrade: write it with syncbot check --format upgrade"
            )
        name = "+".join(f"{each.upstream}-{each.old}-{each.new}" for each in ends)
        kept, cut = _fitting(text)
        found[name] = UpgradePage(name, _inline(heading[1]).striptags(), _elements(kept), cut)
    return tuple(found.values())


def _fitting(text: str) -> tuple[str, int]:
    lines = text.splitlines()
    sizes = accumulate(len(line.encode("utf-8", "replace")) + 1 for line in lines)
    fit = sum(size <= MOST for size in sizes)
    return "\n".join(lines[:fit]), len(lines) - fit


def _elements(text: str) -> Markup:
    """Markdown as elements, with the folds that reports have. Words of strangers are text: no other HTML is
    taken, and nothing is loaded from elsewhere."""
    shown, at, opened = Markup(), 0, 0
    for fold in _FOLD.finditer(text):
        shown += _blocks(text[at : fold.start()])
        if fold["summary"] is not None:
            shown += Markup("<details><summary>{}</summary>\n").format(_inline(fold["summary"]))
            opened += 1
        elif opened:
            shown += Markup("</details>\n")
            opened -= 1
        at = fold.end()
    return shown + _blocks(text[at:]) + Markup("</details>\n") * opened


def _blocks(text: str) -> Markup:
    lines = (line for line in text.splitlines() if not line.startswith("<!-- syncbot "))
    return Markup(_markdown().render("\n".join(lines)))


def _inline(text: str) -> Markup:
    return Markup(_markdown().renderInline(text))


@cache
def _markdown() -> MarkdownIt:
    # Only who writes such pages waits for the import.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).disable(["image", "html_block", "html_inline"])
