"""Look at patches, see what each changes on lanes, begin one, retire one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot import config as configuration
from syncbot.atomic import write_file
from syncbot.deriving import model as derived
from syncbot.deriving.model import Derivation
from syncbot.errors import UsageError
from syncbot.lanes import generate, update
from syncbot.patching import model
from syncbot.patching.model import Patch, UpstreamChange
from syncbot.patching.yaml_documents import to_yaml

# Why no lane uses a patch, by its status.
_IDLE = {
    "needs-author": "needs an author, so no lane uses it: complete it and remove its status",
    "retired": "is retired, so no lane uses it",
}


@dataclass(frozen=True, slots=True)
class KnownPatches:
    """The patches of a project and the declarations of its derived overrides."""

    patches: Sequence[Patch]
    derivations: Sequence[Derivation]

    def text(self, patch_id: str) -> str:
        """The file of a patch or declaration. Raises UsageError, with the nearest name, if there is none."""
        for declared in self.derivations:
            if declared.id == patch_id:
                return derived.dump(declared)
        return model.dump(_find(self.patches, patch_id, (each.id for each in self.derivations)))


def known_patches(backend: Path) -> KnownPatches:
    """Return what the project has. Raises ConfigurationError for a file that is wrong."""
    config = configuration.load(backend)
    patches = model.load(config.root / config.patches)
    return KnownPatches(tuple(patches), tuple(derived.load(config.root / config.derived)))


@dataclass(frozen=True, slots=True)
class PatchDifferences:
    """What a patch changes, as unified diffs, one a file and lane. ``idle`` says why it changes nothing;
    it is empty otherwise."""

    diffs: tuple[str, ...]
    idle: str = ""


def differences(backend: Path, patch_id: str) -> PatchDifferences:
    """Return what a patch or a derived override changes on each lane of the matrix.

    Each difference is that of the patch's own step, on the sources as the patches before it leave them.
    Raises UsageError for an unknown patch, ConfigurationError.
    """
    inputs = update.inputs_of(configuration.load(backend))
    derivations = [each.id for each in inputs.derivations]
    derived_here = patch_id in derivations
    if not derived_here and (status := _find(inputs.patches, patch_id, derivations).status) != "active":
        return PatchDifferences((), f"{patch_id} {_IDLE[status]}")
    diffs: list[str] = []
    for lane in inputs.matrix:
        if derived_here:
            diffs += _unified(lane.tag, *generate.around_derived(inputs, lane, patch_id))
        elif patch_id in (step.patch.id for step in inputs.steps(lane)):
            diffs += _unified(lane.tag, *generate.around(inputs, lane, patch_id))
    idle = (
        "" if diffs else f"{patch_id} changes nothing on the {len(inputs.matrix.lanes)} lanes of the matrix"
    )
    return PatchDifferences(tuple(diffs), idle)


def _unified(tag: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for path in sorted(before):
        old, new = (side[path].splitlines(keepends=True) for side in (before, after))
        difference = "".join(difflib.unified_diff(old, new, f"without/{tag}/{path}", f"with/{tag}/{path}"))
        if difference:
            yield difference


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPatchOptions:
    """A patch to begin: ``first_version`` is the first release that has the change of ``symbol``."""

    slug: str
    first_version: str
    symbol: str
    reason: str
    pr: int | None = None
    commit: str | None = None
    backend: Path = Path()


def begin_patch(options: NewPatchOptions) -> Path:
    """Write a patch that an author has to complete, and return its file.

    Raises UsageError where the file exists already, ConfigurationError for what no patch can hold.
    """
    config = configuration.load(options.backend)
    name = f"{options.pr or options.first_version}-{options.slug}"
    file = config.root / config.patches / f"{name}.yaml"
    if file.exists():
        raise UsageError(f"{file} exists already: choose another slug")
    change = UpstreamChange.model_construct(
        name=config.upstream or "upstream", pr=options.pr, commit=options.commit,
        first_version=options.first_version,
    )  # fmt: skip
    document = {
        "id": name,
        "upstream": change.model_dump(exclude_none=True),
        "symbol": options.symbol,
        "reason": options.reason,
        "status": "needs-author",
    }
    write_file(file, model.dump(model.parse(to_yaml(document), name)).encode())
    return file


def retire_patch(backend: Path, patch_id: str) -> None:
    """Mark a patch retired, so that no lane uses it any more.

    Raises UsageError for an unknown patch, a derived override and a patch that a lane still needs.
    """
    config = configuration.load(backend)
    inputs = update.inputs_of(config)
    derivations = [each.id for each in inputs.derivations]
    if patch_id in derivations:
        raise UsageError(
            f"{patch_id} is a derived override, not a patch: delete {config.derived}/{patch_id}.yaml, or "
            "name in it the versions that need it"
        )
    patch = _find(inputs.patches, patch_id, derivations)
    users = [x.tag for x in inputs.matrix if patch.id in (step.patch.id for step in inputs.steps(x))]
    if users:
        raise UsageError(
            f"{patch.id} is needed by {', '.join(users)}: remove those lanes from the matrix first"
        )
    retired = patch.model_copy(update={"status": "retired", "lanes": ()})
    write_file(config.root / update.patch_file(config, patch), model.dump(retired).encode())


def _find(patches: Iterable[Patch], patch_id: str, others: Iterable[str] = ()) -> Patch:
    known = {patch.id: patch for patch in patches}
    if patch_id not in known:
        near = difflib.get_close_matches(patch_id, [*known, *others], 1, 0)
        hint = f"the nearest is {near[0]!r}" if near else "the project has none"
        raise UsageError(f"no patch {patch_id!r}; {hint}")
    return known[patch_id]
