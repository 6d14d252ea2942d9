"""A check's dependences: the functions it executed, in the sources as they are now, and its environment."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath

from syncbot.lanes.backend_files import is_code
from syncbot.lanes.code_units import IMPORTED, Units, of_data, units

#: Functions by the file that they stand in, seen from the folder that its package stands in; the code that
#: its import runs is always one of them. ``*`` stands for all of the file, or of the folder.
Executed = Mapping[str, Sequence[str]]

WHOLE = "*"


@dataclass(frozen=True)
class Sources:
    """The files of some projects by path, of which documents and tests do not count."""

    files: Mapping[str, bytes] = field(default_factory=dict)

    @cached_property
    def modules(self) -> Mapping[str, bytes]:
        """The Python files, as they are imported."""
        python = {path: content for path, content in self.files.items() if path.endswith(".py")}
        return {
            _imported_as(path, python): content
            for path, content in python.items()
            if is_code(PurePosixPath(path))
        }

    @cached_property
    def data(self) -> str:
        """The digest of the other files: whatever runs may read them."""
        others = sorted(
            (path, of_data(path, content))
            for path, content in self.files.items()
            if not path.endswith(".py") and is_code(PurePosixPath(path))
        )
        return _digest(others)


@dataclass(frozen=True)
class Present:
    """The state that the checks of a lane may depend on now: the files of the ``lane``, those of the projects
    ``beside`` it, and a digest of the ``environment``. ``published`` is the digest of an archive that never
    changes, in place of files; ``accepted`` that of the findings which the static check does not count;
    ``units`` tells the parts of a file."""

    lane: Sources = Sources()
    beside: Sources = Sources()
    environment: str | None = None
    published: str | None = None
    accepted: str | None = None
    units: Callable[[bytes], Units] = units

    def digest(self, executed: Executed | None, environment: str | None) -> str:
        """The digest of what counts for a check: all files where it did not tell what it ``executed``. One
        that had no ``environment``, such as the static check, depends on the lane's files, and on what is
        accepted."""
        if environment is None:
            accepted = [self.accepted] if self.accepted is not None else []
            read, modules = [self.lane.data, self.published, *accepted], self.lane.modules
        else:
            read = [self.lane.data, self.published, self.beside.data, self.environment]
            modules = {**self.beside.modules, **self.lane.modules}
        if executed is None:
            executed = dict.fromkeys(modules, (WHOLE,))
        elif self.published is not None:
            executed = _of_packages(executed, modules)
        return _digest([read, list(_lines(executed, modules, self.units))])

    def of_sources(self, executed: Executed | None) -> str:
        """The same of a check with an environment, which does not count here."""
        return replace(self, environment=None).digest(executed, "")


def _of_packages(executed: Executed, modules: Mapping[str, bytes]) -> Executed:
    """Return the executed functions of packages with these modules: a published package counts as a whole."""
    packages = {path.partition("/")[0] for path in modules}
    return {path: names for path, names in executed.items() if path.partition("/")[0] in packages}


def _lines(
    executed: Executed, modules: Mapping[str, bytes], units: Callable[[bytes], Units]
) -> Iterator[tuple[str, str, str]]:
    """A line for each part that counts: its file, its name and its digest, which is empty if it is gone."""
    counted: dict[str, Units] = {}
    named: set[str] = set()
    for path, names in sorted(executed.items()):
        inside = [each for each in sorted(modules) if each.startswith(path)] if path.endswith("/") else [path]
        for each in inside:
            if each not in modules:
                yield each, IMPORTED, ""
                continue
            counted[each] = found = units(modules[each])
            for name in sorted({IMPORTED, *found.digests} if WHOLE in names else {IMPORTED, *names}):
                yield each, name, found.digests.get(name, "")
                named |= found.named.get(name, frozenset())
    # A function that nothing else shows is there as soon as something that ran names it.
    for path, found in counted.items():
        for name in sorted(found.plain & named):
            yield path, f"def {name}", ""


def _imported_as(path: str, files: Mapping[str, bytes]) -> str:
    """The path of a module from the folder that its package stands in."""
    parts = path.split("/")
    for at in range(1, len(parts)):
        if "/".join([*parts[:at], "__init__.py"]) in files:
            return "/".join(parts[at - 1 :])
    return parts[-1] if parts[0] == "src" else path


def _digest(facts: object) -> str:
    return hashlib.sha256(json.dumps(facts).encode("utf-8", "surrogatepass")).hexdigest()
