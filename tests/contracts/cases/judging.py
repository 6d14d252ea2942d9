"""Compares what the engine tells of a case with what the case says, and writes the comments as they should be."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping

from syncbot.contracts.configured_facts import Knowledge
from syncbot.contracts.model import Finding
from tests.contracts.cases.form import Case, Told, cases, said
from tests.contracts.world import findings
from tests.sections import Block, FormError

_WIDTH = 100
_Files = tuple[tuple[str, str], ...]


def differences(case: Case) -> Iterator[str]:
    """Yield a line for each thing that the engine tells otherwise than the case says, or tells of equal trees."""
    found = told(case)
    for row in sorted(found ^ case.told):
        yield f"{row.file}:{row.line}: {'told' if row in found else 'not told'}: {row.comment()[2:]}"
    for version, files in (("old", case.old), ("new", case.new)):
        for row in sorted(_told_of_one_tree(_files(files), _files(case.plugin), case.knowledge)):
            yield f"{row.file}:{row.line}: told of the {version} version against itself: {row.comment()[2:]}"


def told(case: Case) -> set[Told]:
    """Return all that the engine tells of a case."""
    return _rows(findings(case.old, case.new, case.plugin, case.knowledge, case.loaded))


def blessed(text: str) -> str:
    """Return a document with the comments that the engine makes of it. Raises FormError where a file that
    several cases share would need a different comment in each."""
    wanted: dict[int, list[str]] = {}
    blocks: dict[int, Block] = {}
    for leaf in cases(text):
        found = told(leaf.value)
        for file, block in leaf.value.blocks.items():
            lines = commented([code for code, _ in said(file, block)], file, found)
            if wanted.setdefault(block.start, lines) != lines:
                raise FormError(block.start, f"{leaf.title!r} needs {file} of its own: it tells otherwise")
            blocks[block.start] = block
    made = text.split("\n")
    for start, block in sorted(blocks.items(), reverse=True):
        made[start - 1 : start - 1 + len(block.lines)] = wanted[start]
    return "\n".join(made)


def commented(lines: Iterable[str], file: str, found: Iterable[Told]) -> list[str]:
    """The lines of a file of the plugin with what is told of each: one thing beside it, others above it."""
    made: list[str] = []
    for number, code in enumerate(lines, start=1):
        comments = [row.comment() for row in sorted(found) if (row.file, row.line) == (file, number)]
        beside = f"{code}  {comments[0]}" if len(comments) == 1 else ""
        if beside and len(beside) <= _WIDTH:
            made.append(beside)
        else:
            indent = code[: len(code) - len(code.lstrip())]
            made += [*(indent + comment for comment in comments), code]
    return made


@functools.lru_cache(maxsize=1000)
def _told_of_one_tree(upstream: _Files, plugin: _Files, knowledge: Knowledge) -> frozenset[Told]:
    """Return what is told where nothing changes, which should be nothing. Cases of a section share it."""
    files = dict(upstream)
    return frozenset(_rows(findings(files, files, dict(plugin), knowledge)))


def _files(files: Mapping[str, str]) -> _Files:
    return tuple(sorted(files.items()))


def _rows(found: Iterable[Finding]) -> set[Told]:
    return {
        Told(place.file, place.line, f.verdict, f.kind, f.symbol, _subject(f))
        for f in found
        for place in [f.contract.place.location]
    }


def _subject(finding: Finding) -> str:
    """The subject of a finding, unless its symbol ends with that."""
    return "" if finding.symbol.endswith(f".{finding.subject}") else finding.subject
