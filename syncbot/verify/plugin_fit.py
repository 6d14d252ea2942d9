"""Whether what is installed fits a plugin that has no lanes: by the versions and commits that its own files
name; and which of its versions would fit the upstream that is installed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from syncbot.project_metadata.followed import Pin
from syncbot.project_metadata.requirements import Needed
from syncbot.verify.installed_stack import Installed
from syncbot.verify.stack_fit import Row

_COMMIT = re.compile(r"[0-9a-f]{40}")
# What is needed to work on a plugin is not needed to run it.
_WORK = re.compile(r"dev|lint|test|doc|build|bench", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PluginFit:
    """A plugin held against what is installed. ``pins`` are what its files name, the surest first, and
    ``chosen`` the one that it is for; ``fits`` says whether the installed upstream is one of them, None where
    no version can be compared. ``rows`` are its other requirements; ``others`` its versions that name the
    installed upstream."""

    plugin: str
    upstream: str
    found: str | None
    pins: tuple[Pin, ...]
    chosen: Pin | None
    fits: bool | None
    rows: tuple[Row, ...]
    others: tuple[str, ...]
    mend: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether upstream and all requirements are met."""
        return bool(self.fits) and all(row.fit in ("ok", "not pinned") for row in self.rows)


def plugin_fit(
    plugin: str,
    upstream: str,
    pins: Sequence[Pin],
    chosen: Pin | None,
    needs: Sequence[Needed],
    installed: Installed,
    versions: Mapping[str, Sequence[Pin]],
) -> PluginFit:
    """Return how an environment fits a plugin, which is for the version that is ``chosen`` of its pins;
    ``versions`` are the pins of each of the plugin's versions, the oldest first."""
    found = installed.distributions.get(canonicalize_name(upstream))
    fits = fits_pins(found, pins) if found is not None else False
    rows = tuple(_row(need, installed) for need in _run_time(needs, upstream))
    others = tuple(tag for tag, named in versions.items() if found is not None and _names(found, named))
    mend = _mend(upstream, None if fits else chosen, rows, installed)
    return PluginFit(plugin, upstream, found, tuple(pins), chosen, fits, rows, others, mend)


def fits_pins(found: str, pins: Sequence[Pin]) -> bool | None:
    """Return whether a version is one that pins name, exactly, by its commit, or above a bound where nothing
    exact is named; None where nothing can be compared."""
    version = _version(found)
    exact = [_version(pin.version) for pin in pins if not pin.bound and not _COMMIT.fullmatch(pin.version)]
    if _by_commit(found, pins) or (version is not None and version.public in {v.public for v in exact if v}):
        return True
    if any(exact):
        return False
    bounds = [v for pin in pins if pin.bound and (v := _version(pin.version)) is not None]
    if version is None or not bounds:
        return None
    return version >= max(bounds)


def _names(found: str, pins: Sequence[Pin]) -> bool:
    return bool(fits_pins(found, [pin for pin in pins if not pin.bound]))


def _by_commit(found: str, pins: Sequence[Pin]) -> bool:
    """Whether the build of a version tells a commit that is pinned (``0.11.1.dev0+g2918c1b49``)."""
    built = re.search(r"\bg([0-9a-f]{7,40})\b", found)
    return built is not None and any(pin.version.startswith(built[1]) for pin in pins)


def _run_time(needs: Sequence[Needed], upstream: str) -> list[Needed]:
    first: dict[str, Needed] = {}
    for need in needs:
        if need.name != canonicalize_name(upstream) and not _WORK.search(need.file) and str(need.specifier):
            first.setdefault(need.name, need)
    return list(first.values())


def _row(need: Needed, installed: Installed) -> Row:
    found = installed.distributions.get(need.name)
    if found is None:
        return Row(need.name, str(need.specifier), None, "missing")
    return Row(need.name, str(need.specifier), found, "ok" if _meets(found, need.specifier) else "differs")


def _meets(found: str, wanted: SpecifierSet) -> bool:
    version = _version(found)
    return version is not None and wanted.contains(version.public, prereleases=True)


def _mend(upstream: str, chosen: Pin | None, rows: Sequence[Row], installed: Installed) -> tuple[str, ...]:
    wanted = []
    if chosen is not None and not _COMMIT.fullmatch(chosen.version):
        wanted.append(f"{upstream}{'>=' if chosen.bound else '=='}{chosen.version}")
    wanted += [f"{row.name}{row.wanted}" for row in rows if row.fit in ("differs", "missing")]
    if not wanted:
        return ()
    python = shlex.quote(str(installed.interpreter))
    pip = (
        f"{python} -m pip install"
        if "pip" in installed.distributions
        else f"uv pip install --python {python}"
    )
    return (f"{pip} {' '.join(map(shlex.quote, wanted))}",)


def _version(text: str) -> Version | None:
    try:
        return Version(text.removeprefix("v"))
    except InvalidVersion:
        return None
