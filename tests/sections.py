"""Markdown whose headings are cases: a section has the fenced blocks of the sections around it, and its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from markdown_it import MarkdownIt

Value = TypeVar("Value")


class FormError(Exception):
    """A document is not in its form."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: the words behind its language, and its text, which begins on the line ``start``."""

    language: str
    words: tuple[str, ...]
    text: str
    start: int

    @property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.split("\n")[:-1]


@dataclass(frozen=True, slots=True)
class Leaf(Generic[Value]):
    """A heading with none below it, and all that its blocks come to. Its title has those around it, but for the
    document's."""

    title: str
    line: int
    value: Value


def leaves(text: str, nothing: Value, add: Callable[[Value, Block], Value]) -> list[Leaf[Value]]:
    """Return the headings with none below them; ``add`` puts one more block to what was there. Raises FormError."""
    around: list[tuple[int, Leaf[Value]]] = []
    found: dict[int, Leaf[Value]] = {}
    tokens = MarkdownIt("commonmark").parse(text)
    for number, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else 0
        if token.type == "heading_open":
            level, title = int(token.tag[1:]), tokens[number + 1].content
            while around and around[-1][0] >= level:
                around.pop()
            outer = around[-1][1] if around else None
            if outer is not None:
                found.pop(outer.line, None)
                title = f"{outer.title} | {title}" if len(around) > 1 else title
            if title in {leaf.title for leaf in found.values()}:
                raise FormError(line, f"{title!r} is there twice")
            around.append((level, Leaf(title, line, outer.value if outer else nothing)))
        elif token.type == "fence":
            if not around:
                raise FormError(line, "a block stands below no heading")
            language, *words = token.info.split() or [""]
            level, leaf = around.pop()
            block = Block(language, tuple(words), token.content, line + 1)
            around.append((level, Leaf(leaf.title, leaf.line, add(leaf.value, block))))
        if around and token.type in ("heading_open", "fence"):
            found[around[-1][1].line] = around[-1][1]
    return list(found.values())


def marked(block: Block, lines: list[str], sign: str) -> list[str]:
    """Return the lines of a difference that one side has: those without a mark, and those with ``sign``. Raises
    FormError."""
    for line in lines:
        if line[:1] not in ("", " ", "-", "+"):
            raise FormError(block.start, f"a line of a diff begins with ' ', '-' or '+': {line!r}")
    return [line[1:] for line in lines if line[:1] in ("", " ", sign)]


def joined(lines: list[str]) -> str:
    """Return lines as a text."""
    return "".join(f"{line}\n" for line in lines)
