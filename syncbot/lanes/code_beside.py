"""The code of the projects beside a lane: what counts for every run, and the parts that count for some."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from syncbot.config import Config
from syncbot.lanes.backend_files import digest, is_code, read

_LENGTH = 12


@dataclass(frozen=True, slots=True)
class CodeBeside:
    """Digests: of ``all`` the code, of what is ``common`` to all runs, and of the ``parts``: modules by their
    dotted name."""

    all: str
    common: str
    parts: Mapping[str, str] = field(default_factory=dict)

    def of_run(self, used: str | None) -> str | None:
        """The digest of what counts for a run that used these parts, by their names with spaces between."""
        return of_run(self.common, self.parts, used)

    def used(self, told: object) -> str | None:
        """The parts among the dotted names that a run told, with spaces between; None where it told none."""
        if not self.parts or not isinstance(told, list):
            return None
        return " ".join(sorted(self.parts.keys() & {name for name in told if isinstance(name, str)}))


def row_facts(code: CodeBeside | None) -> dict[str, object]:
    """What the row of a lane says of the code beside it."""
    if code is None:
        return {"beside": None, "parts": None}
    return {"beside": code.common, "parts": dict(code.parts) or None}


def of_run(common: str | None, parts: Mapping[str, str], used: str | None) -> str | None:
    """The digest of what counts for a run that used these parts, by their names with spaces between; all of
    them count where nobody told."""
    if common is None or not parts:
        return common
    counted: Collection[str] = parts if used is None else used.split()
    text = json.dumps([common, sorted((name, parts.get(name)) for name in counted)])
    return hashlib.sha256(text.encode()).hexdigest()


def code_beside(config: Config) -> CodeBeside | None:
    """The code of the projects that simulated runs have beside a lane, and what an overlay adds to its
    package for them; None where none is configured. Documents and tests do not count. Raises
    ConfigurationError."""
    added = _added(config)
    if config.simulate is None or not (config.simulate.beside or added):
        return None
    files = {
        f"{name}/{path}": content
        for name in config.simulate.beside
        for path, content in read(config.root / name).items()
        if is_code(PurePosixPath(path))
    }
    parts = {
        path: name for path in files for name in [_part(path, config.simulate.parts)] if name is not None
    }
    common = {path: content for path, content in files.items() if path not in parts} | added
    each = {name: digest({path: files[path]})[:_LENGTH] for path, name in sorted(parts.items())}
    return CodeBeside(digest(files), digest(common), each)


def _added(config: Config) -> dict[str, bytes]:
    """The files that an overlay writes into its package for simulated runs, and those that they read."""
    if config.overlay is None or not (config.overlay.written or config.overlay.read):
        return {}
    facts = [sorted(config.overlay.written.items()), sorted(config.overlay.read.items())]
    return {"[overlay]": json.dumps(facts).encode()}


def _part(path: str, packages: Collection[str]) -> str | None:
    """The dotted name of the module in a file, if it is one of the packages or right below one."""
    if not path.endswith(".py"):
        return None
    dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    for package in packages:
        _, found, module = f".{dotted}".rpartition(f".{package}")
        if found and (not module or (module[0] == "." and "." not in module[1:])):
            return f"{package}{module}"
    return None
