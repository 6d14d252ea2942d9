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

from syncbot.contracts.configured_facts import NOTHING, Knowledge
from tests.sections import Block, FormError, Leaf, joined, leaves, marked

_TOLD = re.compile(r"(?P<code>.*?)[ \t]*# (?P<verdict>breaks|at-risk|drift): (?P<rest>.*)")
_EXAMPLE = "py file=plugin/ours.py"


class Told(NamedTuple):
    """One thing that is told of a line of the plugin."""

    file: str
    line: int
    verdict: str
    kind: str
    symbol: str
    subject: str = ""

    def comment(self) -> str:
        """Return the comment that says it."""
        return f"# {self.verdict}: {self.kind} {self.symbol} {self.subject}".rstrip()


@dataclass(frozen=True, slots=True)
class Case:
    """All files of a heading. ``blocks`` are those of the plugin by file."""

    old: Mapping[str, str] = field(default_factory=dict)
    new: Mapping[str, str] = field(default_factory=dict)
    blocks: Mapping[str, Block] = field(default_factory=dict)
    knowledge: Knowledge = NOTHING
    loaded: tuple[str, ...] = ()

    @property
    def plugin(self) -> dict[str, str]:
        """The plugin's files without the comments that say what is told."""
        return {file: joined([line for line, _ in said(file, block)]) for file, block in self.blocks.items()}

    @property
    def told(self) -> set[Told]:
        """All that the comments say."""
        lines = [line for file, block in self.blocks.items() for line in said(file, block)]
        return {told for _, all_told in lines for told in all_told}


def cases(text: str) -> list[Leaf[Case]]:
    """Return the cases of a document. Raises FormError."""
    found = leaves(text, Case(), _with)
    for leaf in found:
        if not leaf.value.blocks:
            raise FormError(leaf.line, f"{leaf.title!r} has no file of the plugin, such as ```{_EXAMPLE}")
    return found


def said(file: str, block: Block) -> list[tuple[str, list[Told]]]:
    """Return the lines of a file of the plugin, each with what is told of it. Raises FormError."""
    lines: list[tuple[str, list[Told]]] = []
    waiting: list[Told] = []
    for number, line in enumerate(block.lines, start=block.start):
        match = _TOLD.fullmatch(line)
        if match:
            parts = match["rest"].split(" ", 2)
            if len(parts) < 2:
                raise FormError(number, "what is told is '# breaks: KIND SYMBOL SUBJECT'")
            waiting.append(Told(file, len(lines) + 1, match["verdict"], *parts))
        code = match["code"] if match else line
        if not match or code.strip():
            lines.append((code, waiting))
            waiting = []
    if waiting:
        raise FormError(block.start + len(block.lines), "no line is below what is told")
    return lines


def _with(case: Case, block: Block) -> Case:
    """The case with one more file."""
    file, removed = _place(block)
    side, _, path = file.partition("/")
    if not file:
        return _configured(case, block)
    if block.language == "diff":
        old, new = _versions(file, block, case.old.get(file))
        return replace(case, old={**case.old, file: old}, new={**case.new, file: new})
    if side == "old":
        rest = {kept: text for kept, text in case.new.items() if kept != path}
        now = rest if removed else {**rest, path: block.text}
        return replace(case, old={**case.old, path: block.text}, new=now)
    if side == "new":
        return replace(case, new={**case.new, path: block.text})
    return replace(case, blocks={**case.blocks, file: block})


def _place(block: Block) -> tuple[str, bool]:
    """The file of a block, and whether the new version has it no more."""
    files = [word.removeprefix("file=") for word in block.words if word.startswith("file=")]
    unknown = [word for word in block.words if not word.startswith("file=") and word != "removed"]
    if unknown or len(files) > 1:
        raise FormError(
            block.start - 1, f"{[*unknown, *files][-1]!r} is unknown: a block begins as ```{_EXAMPLE}"
        )
    if not files and block.language != "toml":
        raise FormError(block.start - 1, f"the block names no file: it begins as ```{_EXAMPLE}")
    if "removed" in block.words and not files[0].startswith("old/"):
        raise FormError(block.start - 1, "'removed' is for a file below old/")
    return "".join(files), "removed" in block.words


def _configured(case: Case, block: Block) -> Case:
    try:
        given = tomllib.loads(block.text)
        loaded = tuple(given.pop("loaded", ()))
        knowledge = pydantic.TypeAdapter(Knowledge).validate_python(given)
    except ValueError as error:
        raise FormError(block.start, f"the configuration cannot be read: {error}") from error
    unknown = given.keys() - Knowledge.__dataclass_fields__.keys()
    if unknown:
        raise FormError(block.start, f"no configuration has {', '.join(sorted(unknown))}")
    return replace(case, knowledge=knowledge, loaded=loaded)


def _versions(file: str, block: Block, inherited: str | None) -> tuple[str, str]:
    """Both versions of a file: what is marked, alone or, where a section around has the file, put into it."""
    if inherited is None:
        return joined(marked(block, block.lines, "-")), joined(marked(block, block.lines, "+"))
    new = inherited.split("\n")[:-1]
    for hunk in re.split(r"^@@.*\n", block.text, flags=re.MULTILINE):
        lines = hunk.split("\n")[:-1]
        before, after = marked(block, lines, "-"), marked(block, lines, "+")
        places = [at for at in range(len(new)) if new[at : at + len(before)] == before]
        if len(places) != 1:
            raise FormError(block.start, f"{len(places)} places of {file} fit the diff: it needs one")
        new[places[0] : places[0] + len(before)] = after
    return inherited, joined(new)
