"""Advises on an upstream commit in this project: patches to look at, lanes and tests to run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from syncbot.api.tree import Tables
from syncbot.contracts.sources import Backend
from syncbot.impact.facts.model import Facts
from syncbot.impact.model import Impact, Location, Verdict
from syncbot.lanes.matrix import Matrix
from syncbot.patching.model import Patch
from syncbot.upstream.model import Commit

_LANES, _TESTS, _MENTIONS, _PLACES = 3, 5, 3, 5
# Names that a program spells as text: a search for them in the backend's sources is certain.
_SPELLED = ("environment-", "option-", "operator-", "registration-")


@dataclass(frozen=True, slots=True)
class Project:
    """The backend as advice needs it: lanes (the baseline first), patches, the tests that import a file,
    texts. ``folder`` is empty or ends in a slash."""

    lanes: tuple[str, ...] = ()
    patches: tuple[Patch, ...] = ()
    tests: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    texts: Mapping[str, bytes] = field(default_factory=dict)
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing to do. ``kind`` is ``look``, ``patch``, ``apply``, ``author``, ``verify`` or ``test``;
    ``command`` is for a shell in the repository's root."""

    kind: Literal["look", "patch", "apply", "author", "verify", "test"]
    command: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place of the backend that spells a name which the commit changed."""

    name: str
    place: Location


def project_of(
    backend: Backend, tables: Tables, matrix: Matrix | None, patches: Sequence[Patch], folder: str = ""
) -> Project:
    """The project of a backend; ``tables`` are its files', ``folder`` lies below where commands run."""
    sources = {f.module: f.path for f in backend.files if not f.is_test}
    tests: dict[str, list[str]] = {}
    for file in backend.files:
        if file.is_test:
            for item in tables.get(file.blob, {file.blob: file.text}.__getitem__).imports:
                for name in (item.module, f"{item.module}.{item.name}"):
                    if name in sources:
                        tests.setdefault(sources[name], []).append(file.path)
    lanes = [lane.tag for lane in matrix] if matrix is not None else []
    return Project(
        lanes=tuple(sorted(lanes, key=lambda tag: matrix is not None and tag != matrix.baseline)),
        patches=tuple(patches),
        tests={path: tuple(sorted(set(users))) for path, users in tests.items()},
        texts={f.path: f.text for f in backend.files if not f.is_test},
        folder=folder,
    )


def advise(commit: Commit, impacts: Iterable[Impact], project: Project) -> tuple[Advice, ...]:
    """Return the advice on a commit with these impacts; nothing if it has none and no patch answers it."""
    serious = [i for i in impacts if i.verdict is not Verdict.NONE]
    symbols = {impact.symbol for impact in serious}
    answered = [patch.id for patch in project.patches if patch.answers(commit, symbols)]
    shown = [Advice("patch", f"syncbot patch show {name}", name) for name in answered]
    return (*shown, *_mending(serious, project), *_checking(serious, project))


def _mending(impacts: Sequence[Impact], project: Project) -> Iterator[Advice]:
    breaks = [i for i in impacts if i.verdict is Verdict.BREAKS and not i.tests_only]
    if project.lanes and any(i.fix is not None for i in breaks):
        yield Advice("apply", "syncbot apply")
    for symbol in dict.fromkeys(i.symbol for i in breaks if i.fix is None):
        yield Advice("author", subject=symbol)


def _checking(impacts: Sequence[Impact], project: Project) -> Iterator[Advice]:
    for place in sorted({p for i in impacts for p in i.locations})[:_PLACES]:
        yield Advice("look", subject=f"{place.file}:{place.line}")
    for tag in project.lanes[:_LANES] if impacts else ():
        yield Advice("verify", f"syncbot verify --lane {tag} --static", tag)
    tests = _tests(impacts, project)
    if tests:
        yield Advice("test", f"pytest {shlex.join(f'{project.folder}{test}' for test in tests)}")


def _tests(impacts: Sequence[Impact], project: Project) -> list[str]:
    own = {p.file for i in impacts if i.tests_only for p in i.locations}
    near = {t for i in impacts for p in i.locations for t in project.tests.get(p.file, ())}
    return sorted(own | near)[:_TESTS]


def mentions(facts: Facts, project: Project) -> tuple[Mention, ...]:
    """Where the backend spells variables, options and operators that a commit removed or changed."""
    found = []
    for change in facts.changes:
        if change.kind.startswith(_SPELLED) and not change.kind.endswith("-added"):
            spelled = change.symbol.encode()
            pattern = re.compile(rb"(?<![\w-])" + re.escape(spelled) + rb"(?![\w-])")
            # To look for the bytes first is ten times as fast.
            for path, text in ((path, text) for path, text in project.texts.items() if spelled in text):
                for match in list(pattern.finditer(text))[:_MENTIONS]:
                    line = text.count(b"\n", 0, match.start()) + 1
                    column = match.start() - text.rfind(b"\n", 0, match.start())
                    found.append(Mention(change.symbol, Location(path, line, column)))
    return tuple(dict.fromkeys(found))
