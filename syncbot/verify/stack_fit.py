"""Whether the installed packages are those that a lane needs, and the commands that would mend it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from syncbot.lanes.matrix import Lane, Matrix
from syncbot.verify.installed_stack import Installed

Fit = Literal["ok", "differs", "missing", "not pinned"]


@dataclass(frozen=True, slots=True)
class Names:
    """Upstream's distribution, the backend's if named, and the variables that upstream is built with."""

    upstream: str
    backend: str | None
    build: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """One part of a lane's stack: what the lane needs (None: nobody said), what is there (None: nothing)."""

    name: str
    wanted: str | None
    found: str | None
    fit: Fit


@dataclass(frozen=True, slots=True)
class LaneFit:
    """A lane compared with what is installed. ``mend`` are commands; ``by_hand`` is what none installs."""

    lane: str
    rows: tuple[Row, ...]
    mend: tuple[str, ...]
    by_hand: tuple[str, ...]

    @property
    def fits(self) -> bool:
        """Whether nothing is missing or other than the lane needs."""
        return all(row.fit in ("ok", "not pinned") for row in self.rows)


def examine(
    matrix: Matrix, installed: Installed, names: Names, parts: Sequence[str], wheels: str
) -> list[LaneFit]:
    """Each lane compared with what is installed, the best first; ``parts`` are no distributions."""
    fits = [_fit(lane, installed, names, parts, wheels) for lane in matrix]
    upstream = canonicalize_name(names.upstream)
    there = installed.distributions.get(upstream)

    def rank(fit: LaneFit) -> tuple[bool, int]:
        wanted = next(row.wanted for row in fit.rows if canonicalize_name(row.name) == upstream)
        return (not _same(there, wanted), sum(row.fit in ("differs", "missing") for row in fit.rows))

    return sorted(fits, key=rank)


def _fit(lane: Lane, installed: Installed, names: Names, parts: Sequence[str], wheels: str) -> LaneFit:
    is_python = SpecifierSet(lane.python).contains(installed.python, prereleases=True)
    rows = [Row("python", lane.python, installed.python, "ok" if is_python else "differs")]
    rows.append(_row(names.upstream, str(lane.version), _distribution(installed, names.upstream)))
    for name, version in lane.stack.items():
        found = installed.parts.get(name) if name in parts else _distribution(installed, name)
        rows.append(_row(name, version, found))
    if names.backend is not None:
        rows.append(_row(names.backend, lane.wheel, _distribution(installed, names.backend)))
    mend, by_hand = _mend(lane, rows, installed, names, parts, wheels)
    return LaneFit(lane.tag, tuple(rows), mend, by_hand)


def _row(name: str, wanted: str | None, found: str | None) -> Row:
    if wanted is None:
        return Row(name, None, found, "not pinned")
    if found is None:
        return Row(name, wanted, None, "missing")
    return Row(name, wanted, found, "ok" if _same(found, wanted) else "differs")


def _distribution(installed: Installed, name: str) -> str | None:
    return installed.distributions.get(canonicalize_name(name))


def _same(found: str | None, wanted: str | None) -> bool:
    """Whether two versions are one; what a build adds after a plus (``2.13.0+cpu``) does not count."""
    if found is None or wanted is None:
        return False
    try:
        here, there = Version(found), Version(wanted)
    except InvalidVersion:
        return found.strip().lower() == wanted.strip().lower()
    return here == there or (there.local is None and here.public == there.public)


def _mend(
    lane: Lane, rows: Sequence[Row], installed: Installed, names: Names, parts: Sequence[str], wheels: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    wrong = [row for row in rows if row.fit in ("differs", "missing")]
    by_hand = [
        f"{row.name} {row.wanted} (found: {row.found or 'none'})"
        for row in wrong
        if row.name == "python" or row.name in parts
    ]
    python = shlex.quote(str(installed.interpreter))
    has_pip = "pip" in installed.distributions
    pip = f"{python} -m pip install" if has_pip else f"uv pip install --python {python}"
    pinned = [row for row in wrong if row.name not in ("python", names.backend, *parts)]
    mend = []
    if pinned:
        wanted = " ".join(shlex.quote(f"{row.name}=={row.wanted}") for row in pinned)
        built = names.build and any(row.name == names.upstream for row in pinned)
        variables = "".join(f"{key}={shlex.quote(value)} " for key, value in names.build.items())
        source = f" --no-binary {names.upstream}" if built else ""
        mend.append(f"{variables if built else ''}{pip}{source} {wanted}")
    if any(row.name == names.backend for row in wrong) and names.backend is not None:
        wheel = f"{canonicalize_name(names.backend).replace('-', '_')}-{lane.wheel}-py3-none-any.whl"
        mend.append(f"syncbot build --lane {lane.tag}")
        mend.append(f"{pip} {shlex.quote(f'{wheels}/{wheel}')}")
    return tuple(mend), tuple(by_hand)
