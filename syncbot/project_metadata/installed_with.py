"""The requirements that a project is installed with, and those that its tests have besides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from syncbot.project_metadata.documents import Documents, at, literal, text_of, texts

# What projects call the list of what their tests need; the first that is there counts.
_OF_TESTS = ("test", "tests", "testing", "unittest", "dev", "develop", "development")
_FILES_OF_TESTS = (
    *("requirements-test*.txt", "test-requirements*.txt", "test_requirements*.txt"),
    *("requirements/test*.txt", "tests/requirements*.txt"),
)
# And of what working on them needs, which counts where nothing else is said of tests.
_FILES_OF_DEVELOPERS = (
    *("requirements-dev*.txt", "requirements_dev*.txt", "dev-requirements*.txt", "dev_requirements*.txt"),
    "requirements/dev*.txt",
)


@dataclass(frozen=True, slots=True)
class InstalledWith:
    """The requirements of a project at run time, and those of its tests, without itself and without what only
    an address names."""

    runtime: tuple[Requirement, ...]
    tests: tuple[Requirement, ...]


def installed_with(root: Path, upstream: str) -> InstalledWith:
    """Return what the metadata of a project asks for, with the extra that names its ``upstream`` where the
    rest does not. What a build wrote counts more than what is dynamic."""
    documents = Documents(root)
    own = canonicalize_name(documents.name or "")
    built = list(_read(map(str, documents.built_metadata.get_all("Requires-Dist", []))))
    extras = _extras(documents)
    runtime = [r for r in built or _read(_runtime(documents)) if _applies(r, "")]
    if not _names(runtime, upstream):
        stated = ([r for r in listed if _applies(r, "")] for listed in extras.values())
        runtime += _extra_with(upstream, [*stated, *_built_extras(documents, built)])
    named = next((extras[name] for name in _OF_TESTS if name in extras), [])
    tests = named or _built_for_tests(built) or _in_files(root, _FILES_OF_TESTS)
    tests = tests or _in_files(root, _FILES_OF_DEVELOPERS)
    return InstalledWith(_of_others(runtime, own), _of_others(_unfolded(tests, own, extras), own))


def _built_extras(documents: Documents, built: Sequence[Requirement]) -> list[list[Requirement]]:
    """Return the requirements of each extra in the metadata that a build wrote."""
    names = map(str, documents.built_metadata.get_all("Provides-Extra", []))
    of_extras = [r for r in built if not _applies(r, "")]
    return [[r for r in of_extras if _applies(r, name)] for name in names]


def _extra_with(upstream: str, extras: Iterable[Sequence[Requirement]]) -> list[Requirement]:
    """Return the shortest extra that names an upstream: longer ones have what is for something else."""
    naming = sorted((listed for listed in extras if _names(listed, upstream)), key=len)
    return list(naming[0]) if naming else []


def _names(requirements: Iterable[Requirement], upstream: str) -> bool:
    return canonicalize_name(upstream) in {canonicalize_name(each.name) for each in requirements}


def _built_for_tests(built: Iterable[Requirement]) -> list[Requirement]:
    """Return the requirements of the extra for tests in the metadata that a build wrote."""
    of_extras = [r for r in built if not _applies(r, "")]
    found = ([Requirement(_plain(r)) for r in of_extras if _applies(r, name)] for name in _OF_TESTS)
    return next(filter(None, found), [])


def _in_files(root: Path, patterns: Iterable[str]) -> list[Requirement]:
    files = [file for pattern in patterns for file in sorted(root.glob(pattern))]
    return [each for file in files for each in _read(text_of(file).splitlines())]


def _of_others(requirements: Iterable[Requirement], own: str) -> tuple[Requirement, ...]:
    """Each requirement once, without those on the project itself and those that an address names."""
    kept = (r for r in requirements if not r.url and canonicalize_name(r.name) != own)
    return tuple(map(Requirement, dict.fromkeys(map(_plain, kept))))


def _plain(requirement: Requirement) -> str:
    """A requirement without the marker, which was asked already."""
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"{requirement.name}{extras}{requirement.specifier}"


def _unfolded(
    tests: Iterable[Requirement], own: str, extras: Mapping[str, list[Requirement]]
) -> Iterator[Requirement]:
    """Requirements, those of the project's own extras in the place of its name."""
    for requirement in tests:
        if canonicalize_name(requirement.name) == own:
            for extra in sorted(requirement.extras):
                yield from (r for r in extras.get(extra, ()) if canonicalize_name(r.name) != own)
        elif _applies(requirement, ""):
            yield requirement


def _extras(documents: Documents) -> dict[str, list[Requirement]]:
    """The extras and groups of a project by their names."""
    found: dict[str, list[Requirement]] = {}
    config = documents.setup_cfg
    in_config = dict(config["options.extras_require"]) if config.has_section("options.extras_require") else {}
    tables = (
        at(documents.pyproject, "project", "optional-dependencies"),
        at(documents.pyproject, "dependency-groups"),
        {name: text.splitlines() for name, text in in_config.items()},
        literal(documents.setup_arguments.get("extras_require")),
    )
    for table in tables:
        for name, lines in table.items() if isinstance(table, Mapping) else ():
            found.setdefault(str(name), []).extend(_read(texts(lines)))
            for included in lines if isinstance(lines, list) else ():
                group = at(included, "include-group")
                if isinstance(group, str):
                    found[str(name)] += _read(texts(at(table, group)))
    return found


def _runtime(documents: Documents) -> list[str]:
    """The lines in which a project that nobody has built says what it needs."""
    for lines in (
        texts(at(documents.pyproject, "project", "dependencies")),
        documents.setup_cfg.get("options", "install_requires", fallback="").splitlines(),
        texts(literal(documents.setup_arguments.get("install_requires"))),
        *(text_of(documents.root / name).splitlines() for name in _dynamic(documents)),
    ):
        if any(_read(lines)):
            return list(lines)
    return []


def _dynamic(documents: Documents) -> list[str]:
    """The files that hold a project's requirements by its configuration, or by custom."""
    named = at(documents.pyproject, "tool", "setuptools", "dynamic", "dependencies", "file")
    return [*([named] if isinstance(named, str) else texts(named)), "requirements.txt"]


def _applies(requirement: Requirement, extra: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def _read(lines: Iterable[str]) -> Iterator[Requirement]:
    for line in lines:
        try:
            yield Requirement(re.sub(r"(^|\s)#.*", "", line).strip().rstrip("\\").strip())
        except InvalidRequirement:
            continue
