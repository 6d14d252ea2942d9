"""The form of a file of cases: Markdown, in which headings are cases, and fenced blocks are files.

A block ``file=old/…`` or ``file=new/…`` is upstream's, ``diff file=…`` holds both versions, any other file is the
plugin's. A section has the files of the sections around it. A comment ``# breaks: KIND SYMBOL SUBJECT`` says what
is told of its line, or of the next one where it stands alone; it is no part of the file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import pydantic
from markdown_it import MarkdownIt
from markdown_it.token import Token

from syncbot.contracts.configured_facts import NOTHING, Knowledge

_TOLD = re.compile(r"(?P<code>.*?)[ \t]*# (?P<verdict>breaks|at-risk|drift): (?P<rest>.*)")
_EXAMPLE = "py file=plugin/ours.py"


class FormError(Exception):
    """A file of cases is not in its form."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")


class Told(NamedTuple):
    """One thing that is told of a line of the plugin."""

    file: str
    line: int
    verdict: str
    kind: str
    symbol: str
    subject: str = ""

    def comment(self) -> str:
        """The comment that says it."""
        return f"# {self.verdict}: {self.kind} {self.symbol} {self.subject}".rstrip()


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its file, its words, and the lines of the document that it fills, from ``start`` on."""

    file: str
    language: str
    text: str
    start: int
    removed: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A heading with all its files. ``blocks`` are those of the plugin by file."""

    title: str
    line: int
    old: Mapping[str, str] = field(default_factory=dict)
    new: Mapping[str, str] = field(default_factory=dict)
    blocks: Mapping[str, Block] = field(default_factory=dict)
    knowledge: Knowledge = NOTHING
    loaded: tuple[str, ...] = ()

    @property
    def plugin(self) -> dict[str, str]:
        """The plugin's files without the comments that say what is told."""
        return {file: _joined([line for line, _ in said(block)]) for file, block in self.blocks.items()}

    @property
    def told(self) -> set[Told]:
        """All that the comments say."""
        return {told for block in self.blocks.values() for _, all_told in said(block) for told in all_told}


@dataclass(slots=True)
class _Section:
    title: str
    line: int
    level: int
    blocks: list[Block] = field(default_factory=list)
    is_case: bool = True


def cases(text: str) -> list[Case]:
    """Return the cases of a document: the headings with none below them. Raises FormError."""
    around: list[tuple[int, Case]] = []
    found: dict[str, Case] = {}
    for section in _sections(text):
        while around and around[-1][0] >= section.level:
            around.pop()
        outer = around[-1][1] if around else None
        # The title of the document is in the name of its file.
        title = f"{outer.title} | {section.title}" if outer and len(around) > 1 else section.title
        case = replace(outer, title=title, line=section.line) if outer else Case(title, section.line)
        for block in section.blocks:
            case = _with(case, block)
        around.append((section.level, case))
        if section.is_case:
            if not case.blocks:
                raise FormError(section.line, f"{title!r} has no file of the plugin, such as ```{_EXAMPLE}")
            if title in found:
                raise FormError(section.line, f"{title!r} is there twice")
            found[title] = case
    return list(found.values())


def said(block: Block) -> list[tuple[str, list[Told]]]:
    """The lines of a file of the plugin, each with what is told of it."""
    lines: list[tuple[str, list[Told]]] = []
    waiting: list[Told] = []
    for offset, line in enumerate(block.text.split("\n")[:-1]):
        match = _TOLD.fullmatch(line)
        if match:
            parts = match["rest"].split(" ", 2)
            if len(parts) < 2:
                raise FormError(block.start + offset, "what is told is '# breaks: KIND SYMBOL SUBJECT'")
            waiting.append(Told(block.file, len(lines) + 1, match["verdict"], *parts))
        code = match["code"] if match else line
        if not match or code.strip():
            lines.append((code, waiting))
            waiting = []
    if waiting:
        raise FormError(block.start + block.text.count("\n"), "no line is below what is told")
    return lines


def _sections(text: str) -> list[_Section]:
    sections: list[_Section] = []
    tokens = MarkdownIt("commonmark").parse(text)
    for number, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else 0
        if token.type == "heading_open":
            level = int(token.tag[1:])
            if sections and level > sections[-1].level:
                sections[-1].is_case = False
            sections.append(_Section(tokens[number + 1].content, line, level))
        elif token.type == "fence":
            if not sections:
                raise FormError(line, "a file stands below no heading")
            sections[-1].blocks.append(_block(token, line))
    return sections


def _block(token: Token, line: int) -> Block:
    language, *words = token.info.split() or [""]
    file = ""
    for word in words:
        if word.startswith("file=") and not file:
            file = word.removeprefix("file=")
        elif word != "removed":
            raise FormError(line, f"{word!r} is unknown: a block begins as ```{_EXAMPLE}")
    if not file and language != "toml":
        raise FormError(line, f"the block names no file: it begins as ```{_EXAMPLE}")
    if "removed" in words and not file.startswith("old/"):
        raise FormError(line, "'removed' is for a file below old/")
    return Block(file, language, token.content, line + 1, "removed" in words)


def _with(case: Case, block: Block) -> Case:
    """The case with one more file."""
    side, _, path = block.file.partition("/")
    if not block.file:
        return _configured(case, block)
    if block.language == "diff":
        old, new = _versions(block, case.old.get(block.file))
        return replace(case, old={**case.old, block.file: old}, new={**case.new, block.file: new})
    if side == "old":
        rest = {kept: text for kept, text in case.new.items() if kept != path}
        now = rest if block.removed else {**rest, path: block.text}
        return replace(case, old={**case.old, path: block.text}, new=now)
    if side == "new":
        return replace(case, new={**case.new, path: block.text})
    return replace(case, blocks={**case.blocks, block.file: block})


def _configured(case: Case, block: Block) -> Case:
    try:
        given = tomllib.loads(block.text)
        loaded = tuple(given.pop("loaded", ()))
        knowledge = pydantic.TypeAdapter(Knowledge).validate_python(given)
        unknown = given.keys() - Knowledge.__dataclass_fields__.keys()
    except (ValueError, TypeError) as error:
        raise FormError(block.start, f"the configuration cannot be read: {error}") from error
    if unknown:
        raise FormError(block.start, f"no configuration has {', '.join(sorted(unknown))}")
    return replace(case, knowledge=knowledge, loaded=loaded)


def _versions(block: Block, inherited: str | None) -> tuple[str, str]:
    """Both versions of a file: what is marked, alone or, where a section around has the file, put into it."""
    hunks = [hunk.split("\n")[:-1] for hunk in re.split(r"^@@.*\n", block.text, flags=re.MULTILINE)]
    if inherited is None:
        lines = [line for hunk in hunks for line in hunk]
        return _joined(_marked(block, lines, "-")), _joined(_marked(block, lines, "+"))
    new = inherited.split("\n")[:-1]
    for hunk in hunks:
        before, after = _marked(block, hunk, "-"), _marked(block, hunk, "+")
        places = [at for at in range(len(new)) if new[at : at + len(before)] == before]
        if len(places) != 1:
            raise FormError(block.start, f"{len(places)} places of {block.file} fit the diff: it needs one")
        new[places[0] : places[0] + len(before)] = after
    return inherited, _joined(new)


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _marked(block: Block, lines: list[str], sign: str) -> list[str]:
    for line in lines:
        if line[:1] not in ("", " ", "-", "+"):
            raise FormError(block.start, f"a line of a diff begins with ' ', '-' or '+': {line!r}")
    return [line[1:] for line in lines if line[:1] in ("", " ", sign)]
