"""Which distributions a project needs, with the file and the line that say so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from syncbot.project_metadata.documents import Documents, at, literal, text_of, texts

_PATTERNS = ("requirements*.txt", "requirements/*.txt", "requirements*.in", "requirements/*.in")


@dataclass(frozen=True, slots=True)
class Needed:
    """A requirement on a distribution, by its canonical name; ``file`` says it."""

    name: str
    specifier: SpecifierSet
    file: str


def needed(root: Path) -> tuple[Needed, ...]:
    """Return what a project's metadata and its files of requirements ask for, in the order of certainty."""
    documents = Documents(root)
    project = at(documents.pyproject, "project")
    extras = at(project, "optional-dependencies")
    groups = at(documents.pyproject, "dependency-groups")
    lists = [
        ("pyproject.toml", texts(at(project, "dependencies"))),
        *_tables("pyproject.toml", extras),
        *_tables("pyproject.toml", groups),
        ("setup.cfg", documents.setup_cfg.get("options", "install_requires", fallback="").splitlines()),
        ("setup.py", texts(literal(documents.setup_arguments.get("install_requires")))),
    ]
    for pattern in _PATTERNS:
        lists += [
            (file.relative_to(root).as_posix(), text_of(file).splitlines())
            for file in sorted(root.glob(pattern))
        ]
    built = map(str, documents.built_metadata.get_all("Requires-Dist", []))
    lists.append((documents.built_file or "", list(built)))
    found = {
        Needed(canonicalize_name(requirement.name), requirement.specifier, file): None
        for file, lines in lists
        for requirement in _read(lines)
    }
    return tuple(found)


def _tables(file: str, table: object) -> Iterator[tuple[str, list[str]]]:
    for lines in table.values() if isinstance(table, dict) else ():
        yield file, texts(lines)


def _read(lines: Iterable[str]) -> Iterator[Requirement]:
    for line in lines:
        try:
            yield Requirement(re.sub(r"(^|\s)#.*", "", line).strip().rstrip("\\").strip())
        except InvalidRequirement:
            continue
