"""``syncbot patch``: look at patch files, try them, begin one, retire one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

import click

from syncbot import config as configuration
from syncbot.atomic import write_file
from syncbot.config import Config
from syncbot.deriving import model as derived
from syncbot.errors import UsageError
from syncbot.lanes import generate, update
from syncbot.patching import model
from syncbot.patching.model import Patch, UpstreamChange
from syncbot.patching.yaml_documents import to_yaml

_backend = click.option(
    "--backend",
    "root",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)

# Why a patch makes no difference, by its status.
_IDLE = {
    "needs-author": "needs an author, so that no lane has it: complete it and remove its status",
    "retired": "is retired, so that no lane has it",
}


@click.group()
def command() -> None:
    """Show, test, begin and retire patches.

    Example: syncbot patch test 0.32.0-base-run
    """


@command.command(short_help="List the patches, or print one.")
@click.argument("patch_id", required=False)
@_backend
def show(patch_id: str | None, root: Path) -> None:
    """List the patches and the declarations of derived overrides, or print one.

    Example: syncbot patch show 0.32.0-base-run
    """
    config = configuration.load(root)
    patches = model.load(config.root / config.patches)
    derivations = {each.id: each for each in derived.load(config.root / config.derived)}
    if patch_id is not None:
        declared = derivations.get(patch_id)
        text = (
            model.dump(_find(patches, patch_id, derivations)) if declared is None else derived.dump(declared)
        )
        click.echo(text, nl=False)
        return
    for patch in patches:
        click.echo(f"{patch.id}  {patch.status}  since {patch.upstream.first_version}  {patch.reason}")
    for name, declared in derivations.items():
        click.echo(f"{name}  derived  {declared.versions or 'every version'}  {declared.reason}")


@command.command(short_help="Print the difference that a patch makes on each lane.")
@click.argument("patch_id")
@_backend
def test(patch_id: str, root: Path) -> int:
    """Print the difference that a patch or a derived override makes on each lane; exit with 1 if none.

    The difference is that of the patch's own step: of the sources as the patches before it leave them, so
    that it does not matter whether later ones build on it.

    Example: syncbot patch test 0.32.0-base-run
    """
    config = configuration.load(root)
    inputs = update.inputs_of(config)
    derivations = [each.id for each in inputs.derivations]
    is_derived = patch_id in derivations
    if not is_derived and (patch := _find(inputs.patches, patch_id, derivations)).status != "active":
        click.echo(f"{patch_id} {_IDLE[patch.status]}")
        return 1
    found = False
    for lane in inputs.matrix:
        if is_derived:
            before, after = generate.around_derived(inputs, lane, patch_id)
        elif patch_id in (step.patch.id for step in inputs.steps(lane)):
            before, after = generate.around(inputs, lane, patch_id)
        else:
            continue
        for path in sorted(before):
            old, fresh = (side[path].splitlines(keepends=True) for side in (before, after))
            name = f"{lane.tag}/{path}"
            difference = "".join(difflib.unified_diff(old, fresh, f"without/{name}", f"with/{name}"))
            if difference:
                found = True
                click.echo(difference, nl=False)
    if not found:
        click.echo(f"{patch_id} changes nothing on the {len(inputs.matrix.lanes)} lanes of the matrix")
    return 0 if found else 1


@command.command()
@click.argument("slug")
@click.option("--first-version", required=True, help="The first release that has the change, such as 0.32.0.")
@click.option("--symbol", required=True, help="The upstream symbol, such as pkg.module.Class.method.")
@click.option("--reason", required=True, help="Why the backend needs it, in one line.")
@click.option("--pr", type=int, help="The upstream pull request, such as 12345.")
@click.option("--commit", help="The upstream commit, such as 3f2a91c.")
@_backend
def new(
    slug: str,
    first_version: str,
    symbol: str,
    reason: str,
    pr: int | None,
    commit: str | None,
    root: Path,
) -> None:
    """Begin a patch that an author completes: it is marked needs-author.

    Example: syncbot patch new base-run --first-version 0.32.0 --symbol pkg.Base.run --reason "gained x"
    """
    config = configuration.load(root)
    name = f"{pr or first_version}-{slug}"
    file = config.root / config.patches / f"{name}.yaml"
    if file.exists():
        raise UsageError(f"{file} exists already: choose another slug")
    document = {
        "id": name,
        "upstream": UpstreamChange.model_construct(
            name=config.upstream or "upstream", pr=pr, commit=commit, first_version=first_version
        ).model_dump(exclude_none=True),
        "symbol": symbol,
        "reason": reason,
        "status": "needs-author",
    }
    patch = model.parse(to_yaml(document), name)
    write_file(file, model.dump(patch).encode())
    click.echo(f"{file}: add rewrites, set status to active, then run: syncbot patch test {name}")


@command.command()
@click.argument("patch_id")
@_backend
def retire(patch_id: str, root: Path) -> None:
    """Mark a patch retired: no lane uses it any more. Refused while one does.

    Example: syncbot patch retire 0.28.0-base-run
    """
    config = configuration.load(root)
    inputs = update.inputs_of(config)
    derivations = [each.id for each in inputs.derivations]
    if patch_id in derivations:
        raise UsageError(
            f"{patch_id} is a derived override, not a patch: it goes with its declaration, "
            f"{config.derived}/{patch_id}.yaml, or ends with the versions that it names"
        )
    patch = _find(inputs.patches, patch_id, derivations)
    users = [x.tag for x in inputs.matrix if patch.id in (step.patch.id for step in inputs.steps(x))]
    if users:
        raise UsageError(
            f"{patch.id} is needed by {', '.join(users)}: drop those lanes from the matrix first"
        )
    retired = patch.model_copy(update={"status": "retired", "lanes": ()})
    write_file(_file(config, patch), model.dump(retired).encode())
    click.echo(f"{patch.id} is retired")


def _file(config: Config, patch: Patch) -> Path:
    return config.root / config.patches / f"{patch.id}.yaml"


def _find(patches: Iterable[Patch], patch_id: str, others: Iterable[str] = ()) -> Patch:
    known = {patch.id: patch for patch in patches}
    if patch_id not in known:
        near = difflib.get_close_matches(patch_id, [*known, *others], 1, 0)
        hint = f"the nearest is {near[0]!r}" if near else "there are none"
        raise UsageError(f"no patch {patch_id!r}; {hint}")
    return known[patch_id]
