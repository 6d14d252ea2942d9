"""Look at patches, see what each changes on lanes, begin one, retire one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from syncbot import config as configuration
from syncbot.atomic import write_file
from syncbot.deriving import model as derived
from syncbot.deriving.model import Derivation
from syncbot.errors import UsageError
from syncbot.lanes import generate, update
from syncbot.patching import model
from syncbot.patching.model import Patch
from syncbot.patching.yaml_documents import to_yaml
from syncbot.report.untrusted_text import one_line
from syncbot.workflows.project import with_sources

# Why no lane uses a patch, by its status.
_IDLE = {
    "needs-author": "needs an author, so no lane uses it: complete it and remove its status",
    "retired": "is retired, so no lane uses it",
}


def known_patches(backend: Path) -> tuple[Sequence[Patch], Sequence[Derivation]]:
    """Return a project's patches and derived overrides. Raises ConfigurationError for a wrong file."""
    config = configuration.load(backend)
    return model.load(config.root / config.patches), derived.load(config.root / config.derived)


def patch_text(backend: Path, patch_id: str) -> str:
    """Return the file of a patch or derived override. Raises UsageError, with the nearest name, if there is
    none, and ConfigurationError."""
    patches, derivations = known_patches(backend)
    declared = {each.id: each for each in derivations}
    if patch_id in declared:
        return derived.dump(declared[patch_id])
    return model.dump(_find(patches, patch_id, declared))


def differences(backend: Path, patch_id: str) -> tuple[list[str], str]:
    """Return what a patch or a derived override changes, as unified diffs, one a file and lane of the matrix;
    or none, and why it changes nothing.

    Each difference is that of the patch's own step, on the sources as the patches before it leave them.
    Raises UsageError for an unknown patch, ConfigurationError.
    """
    inputs = update.inputs_of(with_sources(backend))
    derivations = [each.id for each in inputs.derivations]
    derived_here = patch_id in derivations
    if not derived_here and (status := _find(inputs.patches, patch_id, derivations).status) != "active":
        return [], f"{patch_id} {_IDLE[status]}"
    diffs: list[str] = []
    for lane in inputs.matrix:
        if derived_here:
            diffs += _unified(lane.tag, *generate.around_derived(inputs, lane, patch_id))
        elif patch_id in (step.patch.id for step in inputs.steps(lane)):
            diffs += _unified(lane.tag, *generate.around(inputs, lane, patch_id))
    if diffs:
        return diffs, ""
    return [], f"{patch_id} changes nothing on the {len(inputs.matrix.lanes)} lanes of the matrix"


def _unified(tag: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    # Most files stay as they are, and to find that by comparing lines is dear.
    for path in sorted(path for path in before if before[path] != after[path]):
        old, new = (side[path].splitlines(keepends=True) for side in (before, after))
        name = one_line(path)
        difference = "".join(difflib.unified_diff(old, new, f"without/{tag}/{name}", f"with/{tag}/{name}"))
        if difference:
            yield difference


def begin_patch(
    backend: Path, slug: str, *,
    first_version: str, symbol: str, reason: str, pr: int | None, commit: str | None,
) -> Path:  # fmt: skip
    """Write a patch that an author has to complete, and return its file. Raises UsageError where the file
    exists already, ConfigurationError for what no patch can hold."""
    config = configuration.load(backend)
    name = f"{pr or first_version}-{slug}"
    file = config.root / config.patches / f"{name}.yaml"
    if file.exists():
        raise UsageError(f"{file} exists already: choose another slug")
    upstream = config.upstream or "upstream"
    document = {
        "id": name,
        "upstream": {"name": upstream, "pr": pr, "commit": commit, "first_version": first_version},
        "symbol": symbol,
        "reason": reason,
        "status": "needs-author",
    }
    write_file(file, model.dump(model.parse(to_yaml(document), name)).encode())
    return file


def retire_patch(backend: Path, patch_id: str, declined: str = "") -> None:
    """Mark a patch retired, so that no lane uses it any more. One that lanes lack may be ``declined`` with a
    reason: it is not written again. Raises UsageError for an unknown patch, a derived override and another
    patch that a lane still needs."""
    config = with_sources(backend)
    inputs = update.inputs_of(config)
    derivations = [each.id for each in inputs.derivations]
    if patch_id in derivations:
        raise UsageError(
            f"{patch_id} is a derived override, not a patch: delete {config.derived}/{patch_id}.yaml, or "
            "name in it the versions that need it"
        )
    patch = _find(inputs.patches, patch_id, derivations)
    users = [x.tag for x in inputs.matrix if patch.id in (step.patch.id for step in inputs.steps(x))]
    if users and not declined:
        raise UsageError(
            f"{patch.id} is needed by {', '.join(users)}: remove those lanes from the matrix first, or say "
            "with --declined why nobody wants it"
        )
    said = {"status": "retired", "lanes": (), "proven_by": (), "notes": "", "declined": declined}
    retired = patch.model_copy(update=said if declined else {"status": "retired", "lanes": ()})
    write_file(config.root / update.patch_file(config, patch), model.dump(retired).encode())


def _find(patches: Iterable[Patch], patch_id: str, others: Iterable[str]) -> Patch:
    known = {patch.id: patch for patch in patches}
    if patch_id not in known:
        near = difflib.get_close_matches(patch_id, [*known, *others], 1, 0)
        hint = f"the nearest is {near[0]!r}" if near else "the project has none"
        raise UsageError(f"no patch {patch_id!r}; {hint}")
    return known[patch_id]
