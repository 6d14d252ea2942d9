"""Near copies of upstream functions whose original changed, and the merges that would update them."""

from __future__ import annotations

import ast
import difflib
import hashlib
import subprocess
import tempfile
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from syncbot.api.every_node import every_node
from syncbot.api.universe import Universe
from syncbot.contracts.kinds.copies import CopyContract
from syncbot.contracts.normalised_bodies import resemblance, statements
from syncbot.errors import EnvironmentFailure
from syncbot.impact.trees import Trees

_CONFLICTS = 127  # git merge-file tells their number by its exit code, and errors above it


@dataclass(frozen=True, slots=True)
class Drift:
    """A copy that upstream has left behind since version ``base``; ``difference`` is the unified diff to a
    three-way merge with the lane's, with so many ``conflicts``; ``definition`` is the digest of the lane's
    original."""

    file: str
    line: int
    symbol: str
    base: Version
    conflicts: int
    difference: str
    definition: str = ""

    def lines(self) -> tuple[str, ...]:
        """Return the lines of its report: a heading, and the indented difference."""
        plural = "" if self.conflicts == 1 else "s"
        ending = f", {self.conflicts} conflict{plural}" if self.conflicts else ""
        head = (
            f"{self.file}:{self.line}: drift: a copy of {self.symbol}() of {self.base}, changed since{ending}"
        )
        return (head, *(f"  {line}" for line in self.difference.splitlines()))


def drifts(trees: Trees, files: Path, lane: Version, commits: Mapping[Version, str]) -> list[Drift]:
    """The copies that a merge with the lane's upstream would change. Raises EnvironmentFailure."""
    universe = trees.universe(trees.tree(commits[lane]))
    copies = (c for c in trees.contracts(universe) if isinstance(c, CopyContract))
    found = (_drift(trees, files, lane, commits, copy) for copy in copies)
    return sorted((d for d in found if d is not None), key=lambda d: (d.file, d.line))


def _drift(
    trees: Trees, files: Path, lane: Version, commits: Mapping[Version, str], copy: CopyContract
) -> Drift | None:
    theirs = _body(trees, commits[lane], copy)
    if theirs is None:
        return None
    likeness = {lane: resemblance(copy.copy, _statements(theirs))}
    bodies = {lane: theirs}
    for version, commit in commits.items():
        body = theirs if version == lane else _body(trees, commit, copy)
        if body is not None and body != theirs:
            bodies[version], likeness[version] = body, resemblance(copy.copy, _statements(body))
    # Of several that it resembles as much, the lane's own, else the newest.
    base = max(likeness, key=lambda version: (likeness[version], version == lane, version))
    if base == lane:
        return None
    place = copy.place.location
    ours = _own(files / place.file, place.line)
    if ours is None:
        return None
    merged, conflicts = merge(ours, bodies[base], theirs, f"{base}", f"{lane}")
    if merged == ours:
        return None
    name = place.file if place.file.isprintable() else ascii(place.file)[1:-1]
    difference = difflib.unified_diff(ours.splitlines(), merged.splitlines(), name, "refreshed", lineterm="")
    digest = hashlib.sha256("\n".join(_statements(theirs)).encode()).hexdigest()[:16]
    return Drift(place.file, place.line, copy.symbol, base, conflicts, "\n".join(difference), digest)


def merge(ours: str, base: str, theirs: str, old: str, new: str) -> tuple[str, int]:
    """The three-way merge of texts, marked as git does, and its conflicts. Raises EnvironmentFailure."""
    with tempfile.TemporaryDirectory(prefix="syncbot-merge-") as folder:
        names = []
        for name, text in (("ours", ours), ("base", base), ("theirs", theirs)):
            file = Path(folder) / name
            file.write_text(text, encoding="utf-8")
            names.append(str(file))
        labels = ["-L", "ours", "-L", old, "-L", new]
        try:
            done = subprocess.run(
                ["git", "merge-file", "-p", "--diff3", *labels, *names],
                capture_output=True,
                text=True,
                check=False,
                cwd=folder,
            )
        except OSError as error:
            raise EnvironmentFailure(f"cannot start git: {error.strerror}: install git") from error
    if not 0 <= done.returncode <= _CONFLICTS:
        raise EnvironmentFailure(f"git cannot merge: {done.stderr.strip()}")
    return done.stdout, done.returncode


def _body(trees: Trees, commit: str, copy: CopyContract) -> str | None:
    """The text of the original at a commit, dedented; None where it is not there."""
    tree = trees.tree(commit)
    universe = Universe((tree,))
    owner = universe.resolve(copy.owner)
    found = universe.attribute(owner, copy.name) if owner is not None else None
    source = tree.source(found.module) if found is not None and found.functions else None
    if found is None or source is None:
        return None
    function = found.functions[-1]
    return _dedented(source.decode("utf-8", "replace").splitlines()[function.line - 1 : function.end_line])


def _own(file: Path, line: int) -> str | None:
    """The text of the backend's function that begins on a line, dedented."""
    rows = file.read_text(encoding="utf-8").splitlines()
    for node in every_node(ast.parse("\n".join(rows))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.lineno == line:
            return _dedented(rows[line - 1 : node.end_lineno])
    return None


def _dedented(rows: Sequence[str]) -> str:
    return textwrap.dedent("\n".join(rows)) + "\n"


def _statements(text: str) -> tuple[str, ...]:
    return statements(text.encode(), 1, len(text.splitlines()))
