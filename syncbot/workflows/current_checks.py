"""Which claimed checks have evidence of what is there now, by the sources and environments as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.config import Config
from syncbot.lanes import plugin_matrix
from syncbot.lanes import present as dependences
from syncbot.lanes.matrix import Lane, Matrix, Shown
from syncbot.verify.configured_checks import configured_checks
from syncbot.workflows.lane_inputs import lane_inputs


@dataclass(frozen=True, slots=True)
class NotCurrent:
    """A claimed check of a lane, or of a release of the plugin, that was not run, or on something else."""

    tag: str
    check: str
    shown: Shown
    details: str | None = None

    def as_text(self) -> str:
        """One line."""
        return "  ".join([self.tag, self.check, self.shown, *filter(None, [self.details])])


def not_current(backend: Path) -> list[NotCurrent]:
    """The claimed checks that are stale or unknown, the newest lane first. Raises ConfigurationError, and
    NoMatch or CannotRewrite for a patch that no longer fits."""
    config, inputs = lane_inputs(backend, check=True)
    marked = dependences.marked(config, inputs)
    return [*_of_lanes(marked, configured_checks(config)), *_of_releases(config)]


def _of_lanes(matrix: Matrix, known: Sequence[str]) -> Iterator[NotCurrent]:
    for lane in sorted(matrix.lanes, key=lambda lane: lane.version, reverse=True):
        # Without a tier, a lane claims what it has evidence of.
        names = matrix.claimed(lane, known) if lane.claimed is not None else sorted(lane.checks)
        yield from _of_row(lane, names)


def _of_releases(config: Config) -> Iterator[NotCurrent]:
    if config.plugin is None or not (config.root / config.plugin.matrix).is_file():
        return
    own = config.model_copy(update={"simulate": config.plugin, "locks": config.plugin.locks})
    for release in plugin_matrix.load(config.root / config.plugin.matrix).releases:
        present = dependences.present(own, release.environment, {}, release.sources)
        marked = release.marked(present)
        yield from _of_row(marked, sorted(marked.checks))


def _of_row(lane: Lane, names: Sequence[str]) -> Iterator[NotCurrent]:
    for name in names:
        shown, evidence = lane.shown(name), lane.checks.get(name)
        if shown in ("stale", "unknown"):
            why = evidence.details if evidence is not None and shown == "unknown" else None
            yield NotCurrent(lane.tag, name, shown, why)
