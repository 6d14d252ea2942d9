"""A lane for a newer upstream commit, tagged or not, that is not in the matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from packaging.version import Version

from syncbot import atomic
from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.lanes import generate, update
from syncbot.lanes.generate import Generated, Inputs
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.lanes.update import Finder
from syncbot.patching import model
from syncbot.patching.model import Patch
from syncbot.upstream.git_repository import GitRepository

_SHORT = 10


@dataclass(frozen=True, slots=True)
class Target:
    """A commit, and the lane that stands for it."""

    commit: str
    lane: Lane

    @property
    def name(self) -> str:
        """The commit's short sha, which names folders."""
        return self.commit[:_SHORT]


@dataclass(frozen=True, slots=True)
class Made:
    """A generated lane; new patches that rewrite, those that wait for an author, the new ones' folder."""

    lane: Generated
    patches: Path
    written: tuple[Patch, ...]
    waiting: tuple[Patch, ...]


def target(repository: GitRepository, matrix: Matrix, ref: str) -> Target:
    """Return the commit and the lane that a reference names, with the baseline's stack. Its version is the
    tag's, or, 45 commits after 1.2.3, 1.2.4.dev45+gSHA. Raises UsageError if it is unknown, a lane, or no
    newer than the baseline."""
    commit = repository.resolve(ref)
    base = matrix.baseline_lane
    reached = repository.version_tags(behind=commit)
    version, tag = reached[-1] if reached else (base.version, str(base.version))
    if not (reached and repository.resolve(f"refs/tags/{tag}") == commit):
        if version < base.version:
            # Releases are often tagged on branches of their own, which the main line does not hold.
            version, tag = base.version, str(base.version)
        version = _next(version, repository.distance(tag, commit), commit)
    if any(lane.version == version for lane in matrix):
        raise UsageError(f"{ref} is the lane of {version}: run syncbot apply without --to")
    if version <= base.version or not repository.distance(str(base.version), commit):
        raise UsageError(f"{ref} is not newer than the baseline {base.tag}: name a later commit or tag")
    row = {"tag": f"v{version}", "wheel": str(version), "python": base.python}
    stack = {"stack": base.stack, "simulated_with": base.simulated_with}
    return Target(commit, Lane.model_validate({**row, **stack}))


def _next(version: Version, distance: int, commit: str) -> Version:
    """The development version that many commits after one, before the next that may be released."""
    numbers = list(version.release)
    if version.pre is None:
        numbers[-1] += 1
    release = ".".join(map(str, numbers))
    pre = f"{version.pre[0]}{version.pre[1] + 1}" if version.pre is not None else ""
    epoch = f"{version.epoch}!" if version.epoch else ""
    return Version(f"{epoch}{release}{pre}.dev{distance}+g{commit[:_SHORT]}")


def make(config: Config, inputs: Inputs, wanted: Target, find: Finder) -> Made:
    """Generate the lane and its new patches. Raises NoMatch, CannotRewrite, EnvironmentFailure."""
    listed = inputs.matrix.model_copy(update={"lanes": (*inputs.matrix.lanes, wanted.lane)})
    planned = update.plan(config, replace(inputs, matrix=listed), [wanted.lane], find)
    known = {patch.id for patch in inputs.patches}
    # No lane of the matrix needs them yet: with this one's name in it, the next apply would retire them.
    new = [p.model_copy(update={"lanes": ()}) for p in planned.inputs.patches if p.id not in known]
    folder = config.root / config.lanes
    patches = folder / f"{wanted.name}-patches"
    if new:
        atomic.write_folder(patches, {f"{patch.id}.yaml": model.dump(patch).encode() for patch in new})
    else:
        atomic.remove(patches)
    tag = wanted.lane.tag
    return Made(
        lane=generate.generate(planned.inputs, wanted.lane, folder / wanted.name),
        patches=patches,
        written=planned.written,
        waiting=tuple(p for p in planned.inputs.patches if p.status == "needs-author" and tag in p.lanes),
    )
