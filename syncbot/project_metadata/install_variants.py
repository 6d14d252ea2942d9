"""Requirements of a project that only some ways of installing it have: with an extra, or for some devices."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from email.parser import HeaderParser
from posixpath import dirname, join, normpath

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from syncbot.configuration_file import parsed_toml
from syncbot.project_metadata.documents import at, texts

_METADATA = ("PKG-INFO", "pyproject.toml")
_FILE = re.compile(r"requirements(?:/[\w.-]+|[\w.-]*)\.(?:txt|in)$")
_INCLUDED = re.compile(r"(?m)^[ \t]*(?:-r|--requirement)[ =]*(\S+)")


def names_requirements(path: str) -> bool:
    """Whether a file of a project is one that :func:`partly_required` reads."""
    return path in _METADATA or _FILE.match(path) is not None


def partly_required(files: Mapping[str, str]) -> frozenset[str]:
    """The canonical names of the distributions that a project requires with an extra only, or in one of the
    files of requirements that include what most include, and not in that. ``files`` are texts by path."""
    document = parsed(files.get("pyproject.toml", ""))
    head = HeaderParser().parsestr(files.get("PKG-INFO", ""))
    listed = [str(line) for line in head.get_all("requires-dist", [])]
    always = {*_named(texts(at(document, "project", "dependencies"))), *_named(listed, with_extra=False)}
    groups = at(document, "project", "optional-dependencies")
    partly = set(_named(listed, with_extra=True))
    for lines in groups.values() if isinstance(groups, dict) else ():
        partly.update(_named(texts(lines)))
    included = _including(files)
    common = _common(included)
    for path, others in included.items():
        names = set(_named(files[path].splitlines()))
        if path in common:
            always |= names
        elif others & common:
            partly |= names
    return frozenset(partly - always)


def always_required_files(files: Mapping[str, str]) -> frozenset[str]:
    """The files of requirements that hold in each of the ways to install a project: what most include."""
    return frozenset(_common(_including(files)) & files.keys())


def _including(files: Mapping[str, str]) -> dict[str, set[str]]:
    return {path: set(_included(path, text)) for path, text in files.items() if _FILE.match(path)}


def _common(included: Mapping[str, set[str]]) -> set[str]:
    counts = Counter(base for others in included.values() for base in others)
    return {base for base, count in counts.items() if count == max(counts.values())} | {"requirements.txt"}


def parsed(text: str) -> object:
    """A TOML document, None where the text is none."""
    try:
        return parsed_toml(text)
    except ValueError:
        return None


def _included(path: str, text: str) -> Iterator[str]:
    for name in _INCLUDED.findall(text):
        yield normpath(join(dirname(path), name))


def _named(lines: Iterable[str], with_extra: bool | None = None) -> Iterator[str]:
    """The distributions that some lines require; ``with_extra``: those that only an extra requires, or only
    the others."""
    for line in lines:
        try:
            requirement = Requirement(re.sub(r"(^|\s)#.*", "", line).strip())
        except InvalidRequirement:
            continue
        of_extra = "extra" in str(requirement.marker or "")
        if with_extra is None or of_extra == with_extra:
            yield canonicalize_name(requirement.name)
