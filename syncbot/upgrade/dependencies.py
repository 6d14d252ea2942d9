"""Upstream's requirements, versions of Python and entry points, compared at two ends of a range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from packaging.utils import canonicalize_name

from syncbot.project_metadata.conflicting_requirements import conflicts
from syncbot.project_metadata.install_variants import names_requirements
from syncbot.project_metadata.stated_requirements import Stated, metadata_requirements, stated_python
from syncbot.upgrade.model import Dependency
from syncbot.upstream.commit_range import Span
from syncbot.upstream.git_repository import GitRepository
from syncbot.verify.release_requirements import METADATA, Requirements, requirements_at

_PYTHON = "Python"
# What something needs or gives, by what it is and its name: the lines that say it.
_Lines = Mapping[tuple[str, str], str]


def dependencies(repository: GitRepository, span: Span, ours: Path) -> tuple[Dependency, ...]:
    """Return the requirements, versions of Python and entry points of an upstream that differ between the
    ends, with what the project in the folder ``ours`` asks for of the same. Raises EnvironmentFailure."""
    before, after = requirements_at(repository, span.old), requirements_at(repository, span.new)
    was, now = _lines(before), _lines(after)
    differing = sorted(key for key in was.keys() | now.keys() if was.get(key) != now.get(key))
    authors = _authors(repository, span, was) if differing else {}
    mine = metadata_requirements(ours)
    python = stated_python(ours)
    unmet = {each.name for each in conflicts(mine, after.stated, python, after.python)}
    asked = {"python": [str(python)]} if python is not None else {}
    for stated in mine:
        asked.setdefault(stated.name, []).append(str(stated))
    return tuple(
        Dependency(
            what=what,
            name=name,
            before=was.get((what, name), ""),
            after=now.get((what, name), ""),
            ours=", ".join(dict.fromkeys(asked.get(canonicalize_name(name), ()))),
            conflict=canonicalize_name(name) in unmet,
            commits=authors.get((what, name), ()),
        )
        for what, name in differing
    )


def _lines(found: Requirements) -> _Lines:
    lines: dict[tuple[str, str], str] = {}
    for name, text in _requirements(found.stated):
        known = lines.get(("requirement", name))
        lines["requirement", name] = text if known is None else f"{known}; {text}"
    if found.python is not None:
        lines["python", _PYTHON] = str(found.python.specifier)
    for group, line in found.entry_points:
        name, _, target = line.partition("=")
        lines["entry-point", f"{group}: {name.strip()}"] = target.strip()
    return lines


def _requirements(stated: Iterable[Stated]) -> Iterator[tuple[str, str]]:
    yield from sorted({(each.name, str(each.requirement)) for each in stated})


def _authors(repository: GitRepository, span: Span, was: _Lines) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """The last commit that changed each line."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for commit in reversed(span.commits):
        if any(path in METADATA or names_requirements(path) for path in commit.paths):
            now = _lines(requirements_at(repository, commit.sha))
            for key in was.keys() | now.keys():
                if was.get(key) != now.get(key):
                    found[key] = (commit.sha,)
            was = now
    return found
