"""The requirements that a project states, each with the line that states it: in its metadata, with the extra
that it belongs to, and in files of constraints."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from syncbot.project_metadata.documents import Documents, at, literal, text_of, texts

_CONSTRAINTS = ("constraints*.txt", "constraints/*.txt", "requirements/constraints*.txt")
_REQUIREMENTS = ("requirements*.txt", "requirements/*.txt")
_EXTRA = re.compile(r"extra\s*==\s*[\"']([^\"']+)[\"']")


@dataclass(frozen=True, slots=True)
class Stated:
    """A requirement, and where it stands; ``extra`` names the extra that it is of, ``bounds`` says that the
    file only restricts what others ask for."""

    requirement: Requirement
    file: str
    line: int
    extra: str | None = None
    bounds: bool = False

    @property
    def name(self) -> str:
        """The canonical name of the distribution."""
        return canonicalize_name(self.requirement.name)

    def __str__(self) -> str:
        return f"{self.requirement} ({self.file}:{self.line})"


@dataclass(frozen=True, slots=True)
class StatedPython:
    """The versions of Python that a project asks for, and where it does."""

    specifier: SpecifierSet
    file: str
    line: int

    def __str__(self) -> str:
        return f"Python {self.specifier} ({self.file}:{self.line})"


def metadata_requirements(root: Path) -> tuple[Stated, ...]:
    """Return what the metadata of a project asks for, always or with an extra, each requirement once; where
    it says nothing, what its files of requirements do."""
    documents = Documents(root)
    project = at(documents.pyproject, "project")
    found = [
        *_of_file(root, "pyproject.toml", texts(at(project, "dependencies"))),
        *_of_table(root, "pyproject.toml", at(project, "optional-dependencies")),
        *_of_setup_cfg(root, documents),
        *_of_file(root, "setup.py", texts(literal(documents.setup_arguments.get("install_requires")))),
        *_of_table(root, "setup.py", _literal_table(documents.setup_arguments.get("extras_require"))),
    ]
    built = map(str, documents.built_metadata.get_all("Requires-Dist", []))
    found += _of_file(root, documents.built_file or "", built)
    if not found:
        found = [each for file in _matching(root, _REQUIREMENTS) for each in _of_lines_of(root, file)]
    unique: dict[tuple[str, str | None], Stated] = {}
    for each in found:
        unique.setdefault((f"{each.name}{each.requirement.specifier}", each.extra), each)
    return tuple(unique.values())


def constraints(root: Path) -> tuple[Stated, ...]:
    """Return what a project's files of constraints say."""
    return tuple(
        each for file in _matching(root, _CONSTRAINTS) for each in _of_lines_of(root, file, bounds=True)
    )


def stated_python(root: Path) -> StatedPython | None:
    """Return the versions of Python that a project asks for; None where it names none."""
    documents = Documents(root)
    told = [
        ("pyproject.toml", at(documents.pyproject, "project", "requires-python")),
        ("setup.cfg", documents.setup_cfg.get("options", "python_requires", fallback=None)),
        ("setup.py", literal(documents.setup_arguments.get("python_requires"))),
        (documents.built_file or "", documents.built_metadata.get("Requires-Python")),
    ]
    for file, text in told:
        if isinstance(text, str) and text.strip():
            try:
                return StatedPython(SpecifierSet(text), file, _line(root, file, text))
            except InvalidSpecifier:
                continue
    return None


def _of_setup_cfg(root: Path, documents: Documents) -> Iterator[Stated]:
    config = documents.setup_cfg
    lines = config.get("options", "install_requires", fallback="").splitlines()
    yield from _of_file(root, "setup.cfg", lines)
    if config.has_section("options.extras_require"):
        extras = {name: text.splitlines() for name, text in config.items("options.extras_require")}
        yield from _of_table(root, "setup.cfg", extras)


def _literal_table(node: ast.expr | None) -> object:
    """The entries of a written table that can be read, the others left out."""
    if not isinstance(node, ast.Dict):
        return None
    return {literal(key): literal(value) for key, value in zip(node.keys, node.values, strict=True)}


def _of_table(root: Path, file: str, table: object) -> Iterator[Stated]:
    for extra, lines in table.items() if isinstance(table, dict) else ():
        if isinstance(extra, str):
            yield from _of_file(root, file, texts(lines), extra)


def _of_file(root: Path, file: str, lines: Iterable[str], extra: str | None = None) -> Iterator[Stated]:
    for text in lines:
        requirement = _read(text)
        if requirement is not None:
            marked = _EXTRA.search(str(requirement.marker or ""))
            named = extra if extra is not None else marked[1] if marked is not None else None
            yield Stated(requirement, file, _line(root, file, text), named)


def _of_lines_of(root: Path, file: Path, bounds: bool = False) -> Iterator[Stated]:
    for number, text in enumerate(text_of(file).splitlines(), 1):
        requirement = _read(text)
        if requirement is not None:
            yield Stated(requirement, file.relative_to(root).as_posix(), number, bounds=bounds)


def _matching(root: Path, patterns: Iterable[str]) -> list[Path]:
    return list(dict.fromkeys(file for pattern in patterns for file in sorted(root.glob(pattern))))


def _read(text: str) -> Requirement | None:
    try:
        return Requirement(re.sub(r"(^|\s)#.*", "", text).strip().rstrip("\\").strip())
    except InvalidRequirement:
        return None


def _line(root: Path, file: str, text: str) -> int:
    """The line of a file in which a text stands first; 1 where none has it as it is."""
    lines = text_of(root / file).splitlines() if file else []
    return next((number for number, line in enumerate(lines, 1) if text.strip() in line), 1)
