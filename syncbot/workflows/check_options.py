"""The options of a check."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from syncbot.upstream.following import By


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """A range of moments (``since``, ``until``, such as ``yesterday``) or of references (after ``old`` up to
    ``new``); without one, from the matrix's baseline to the newest commit. ``upstreams`` are names, URLs or
    paths instead of the configured default, ``all_upstreams`` are all configured ones. ``since`` may be
    ``last-report``: it goes on where the report in ``output``, or the published one, ended. ``engines``
    replace the configured ones (``contracts``, ``pyrefly`` …). ``prose`` is the language for a configured
    language model; None asks no model. With ``diff``, a report has the edits that fix what breaks.
    ``witness`` imports upstream on both sides of the range, to show every break, or the one whose id begins
    so. ``only`` leaves the impact with this id alone in the report. ``by`` follows commits or releases, where
    the configuration leaves it open. ``baseline`` is a file of known findings instead of the configured one;
    with ``new_baseline`` no finding counts as known. With ``run`` the backend's imports and tests run on both
    ends, the tests for so many seconds of processor. With ``upgrade`` a report has what else the range brings
    for the names that the project uses."""

    backend: Path = Path()
    since: str | None = None
    until: str | None = None
    old: str | None = None
    new: str | None = None
    upstreams: tuple[str, ...] = ()
    all_upstreams: bool = False
    engines: tuple[str, ...] = ()
    prose: str | None = None
    diff: bool = False
    witness: str | None = None
    run: float | None = None
    output: Path | None = None
    only: str | None = None
    by: By | None = None
    baseline: Path | None = None
    new_baseline: Path | None = None
    upgrade: bool = False

    @property
    def is_dated(self) -> bool:
        """Whether a period is asked for, and not two ends."""
        return self.since is not None or self.until is not None
