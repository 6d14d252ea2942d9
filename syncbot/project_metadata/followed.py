"""Which package a project follows: the one whose plugin it says it is, by its entry points or its name, else
the needed one that its sources import most."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from syncbot.project_metadata.documents import Documents, at, text_of
from syncbot.project_metadata.requirements import Needed, needed

# A file that holds nothing but a version or a commit is no longer.
_SHORT = 100
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Followed:
    """A distribution, why it is taken for the upstream, and how often the sources import it; ``declared``:
    the entry points say so, and name no other."""

    name: str
    reason: str
    imports: int
    declared: bool = False


@dataclass(frozen=True, slots=True)
class Pin:
    """A version of the upstream, as text or a commit, that a file of the project names; ``bound`` says that
    it is only the oldest one that is allowed."""

    version: str
    file: str
    bound: bool = False


def imported_names(text: bytes) -> list[str]:
    """Return the top-level name of each import statement in a source."""
    return [name.decode() for name in _IMPORT.findall(text)]


def followed(root: Path, texts: Iterable[bytes]) -> Followed | None:
    """Return what a project with these sources follows, tests left out; None where nothing shows it."""
    counts = Counter[str](canonicalize_name(name) for text in texts for name in imported_names(text))
    own = canonicalize_name(Documents(root).name or "")
    wanted = {each.name: each.file for each in reversed(needed(root)) if each.name != own}
    declared: dict[str, str] = {}
    for file, group in _entry_point_groups(Documents(root)):
        # Such as `engine.plugins`; a group of one word may have a number, such as `pytest11`.
        name = canonicalize_name(group.partition(".")[0].rstrip("0123456789"))
        if ("." in group or name in wanted) and counts[name]:
            declared.setdefault(name, f"{file} has entry points of the group {group}")
    if declared:
        first, reason = next(iter(declared.items()))
        return Followed(first, reason, counts[first], declared=len(declared) == 1)
    words = {w for w in own.split("-") if counts[w] and w != own and not _is_own(root, w)}
    said = max(sorted(words - sys.stdlib_module_names), key=lambda name: counts[name], default=None)
    if said is not None:
        return Followed(said, f"it is called {own} and imports {said}", counts[said])
    most = max(wanted, key=lambda name: counts[name], default=None)
    # A package may have another name than its distribution: where one alone is required, it is that one.
    if most is None or (not counts[most] and len(wanted) > 1):
        return None
    return Followed(most, f"{wanted[most]} requires it", counts[most])


def _is_own(root: Path, package: str) -> bool:
    """Whether a package of this name stands where a project has its own."""
    folders = (root, root / "src", root / "lib")
    return any((folder / name).exists() for folder in folders for name in (package, f"{package}.py"))


def _entry_point_groups(documents: Documents) -> Iterator[tuple[str, str]]:
    """The groups of a project's entry points, each with the file that has it."""
    for place in (("project", "entry-points"), ("tool", "poetry", "plugins")):
        groups = at(documents.pyproject, *place)
        yield from (("pyproject.toml", name) for name in (groups if isinstance(groups, dict) else ()))
    if documents.setup_cfg.has_section("options.entry_points"):
        yield from (("setup.cfg", name) for name in documents.setup_cfg.options("options.entry_points"))
    given = documents.setup_arguments.get("entry_points")
    for key in given.keys if isinstance(given, ast.Dict) else ():
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield "setup.py", key.value
    if documents.built is not None:
        file = f"{documents.built.relative_to(documents.root).as_posix()}/entry_points.txt"
        yield from ((file, group) for group in documents.built_entry_points.sections())


def pins(root: Path, name: str) -> tuple[Pin, ...]:
    """Return the versions and commits of a distribution that a project's files name, the surest first: exact
    requirements, commits, images and variables of builds, then bounds of requirements."""
    exact, bounds = [], []
    own = [each for each in needed(root) if each.name == name]
    for each in own:
        for one in each.specifier:
            if one.operator in ("==", "===") and not one.version.endswith("*"):
                exact.append(Pin(one.version, each.file))
            elif one.operator in (">=", "~=", ">"):
                bounds.append(Pin(one.version.removesuffix(".*"), each.file, bound=True))
    # What is installed somewhere and not allowed is for something else.
    built = (pin for pin in _in_build_files(root, name) if _is_allowed(pin.version, own))
    return tuple(dict.fromkeys([*exact, *_in_files_of_its_own(root, name), *built, *bounds]))


def _is_allowed(version: str, requirements: Sequence[Needed]) -> bool:
    return not _is_version(version) or all(
        each.specifier.contains(version, prereleases=True) for each in requirements
    )


def _in_build_files(root: Path, name: str) -> Iterable[Pin]:
    """Versions and commits in Dockerfiles, workflows, scripts and lock files of the project's own."""
    spelled = re.sub(r"[-_.]+", "[-_.]", re.escape(name).replace(r"\-", "-"))
    version = r"v?(\d+\.\d+(?:\.\d+)*(?:(?:a|b|rc|\.post|\.dev)\d+)?)"
    patterns = (
        re.compile(rf"(?im)^[^#\n]*\b{spelled}\s*={{2,3}}\s*{version}\b"),
        re.compile(rf"(?im)^[^#\n]*\b{spelled}[-_](?:version|tag|ref|branch|commit|commit_hash|sha)"
                   rf"\"?\s*[:=]\s*[\"']?(?:{version}|([0-9a-f]{{40}}))\b"),
        re.compile(rf"(?im)^[^#\n]*\b{spelled}[/\w.-]*:{version}\b"),
        re.compile(rf"(?im)^[^#\n]*/{spelled}(?:\.git)?@(?:{version}|([0-9a-f]{{40}}))\b"),
    )  # fmt: skip
    for file in _build_files(root):
        text = text_of(file)
        for pattern in patterns:
            for match in pattern.finditer(text):
                value = next(group for group in match.groups() if group)
                if len(value) == 40 or _is_version(value):
                    yield Pin(value, file.relative_to(root).as_posix())


def _in_files_of_its_own(root: Path, name: str) -> Iterator[Pin]:
    """Versions and commits that are all that a file named after the distribution holds."""
    word = re.compile(rf"(?i)(?:^|[-_.]){re.escape(name).replace('-', '[-_.]')}(?:[-_.]|$)")
    for pattern in ("*", ".github/*"):
        for file in sorted(root.glob(pattern)):
            if word.search(file.name) and file.is_file() and file.stat().st_size <= _SHORT:
                value = text_of(file).strip()
                if re.fullmatch(r"[0-9a-f]{40}", value):
                    yield Pin(value, file.relative_to(root).as_posix())
                elif re.fullmatch(r"v?\d[\w.+-]*", value) and _is_version(value.removeprefix("v")):
                    yield Pin(value.removeprefix("v"), file.relative_to(root).as_posix())


def _build_files(root: Path) -> list[Path]:
    patterns = (
        *("Dockerfile*", "*.Dockerfile", "docker/**/*", ".github/workflows/*.y*ml", ".gitlab-ci.yml"),
        *("*.sh", "scripts/*.sh", ".ci/**/*", "Makefile", "tox.ini", "noxfile.py", "Jenkinsfile"),
        *("*commit*.txt", "*version*.txt", "*.env", "docs/**/conf.py", "docs/conf.py"),
    )
    found = {file: None for pattern in patterns for file in sorted(root.glob(pattern)) if file.is_file()}
    return list(found)


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True
