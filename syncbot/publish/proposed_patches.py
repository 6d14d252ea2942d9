"""A pull request with the changes that ``syncbot apply`` made in the working tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.lanes import evidence_files, generate, update
from syncbot.lanes.present import marked
from syncbot.patching import model
from syncbot.publish import commit, pull_requests, status_table
from syncbot.publish.api import Api, repository
from syncbot.publish.commit import Checkout
from syncbot.publish.pull_requests import TRAILER, Proposal
from syncbot.publish.push import Push
from syncbot.report.matrix import as_markdown
from syncbot.report.untrusted_text import web_address


@dataclass(frozen=True, slots=True)
class Destination:
    """Where to: a repository, a branch of it, and the branch to merge into (None: its default branch)."""

    name: str
    branch: str
    base: str | None = None


def propose(
    config: Config,
    checkout: Checkout,
    to: Destination,
    api: Api,
    push: Push,
    say: Callable[[str], None],
) -> bool:
    """Push patches, matrix and, unless ignored, lanes; open or update the pull request, and return whether
    there was anything to publish. Working tree, index and branch stay. One that somebody closed is not opened
    again with the same content. Raises UsageError for a branch that is not ours, ConfigurationError,
    EnvironmentFailure."""
    if to.branch.startswith("-") or not checkout.repository.succeeds(
        "check-ref-format", f"refs/heads/{to.branch}"
    ):
        raise UsageError(f"{to.branch!r} is no name of a branch such as syncbot/patches")
    checkout.head()
    matrices = (config.matrix, *(() if config.plugin is None else (config.plugin.matrix,)))
    evidence = (str(PurePosixPath(matrix).parent / evidence_files.FOLDER) for matrix in matrices)
    paths = dict.fromkeys((config.patches, *matrices, *evidence, config.lanes))
    tree = checkout.tree_with([_in_tree(config, checkout, path) for path in paths])
    changes = checkout.changes(tree)
    if not changes:
        return False
    name, base = repository(api, to.name, to.base)
    if to.branch == base:
        raise UsageError(f"{to.branch} is the branch to merge into: name another --branch")
    proposal = _proposal(config, checkout, changes, tree, (to.branch, base))
    known = pull_requests.find(api, name, proposal)
    if known is not None and known["state"] != "open":
        say(f"somebody closed the pull request with this content: {known.get('html_url') or known['number']}")
        return True
    _push(api, name, checkout, push, tree, proposal)
    pull_requests.publish(api, name, proposal, known, say)
    return True


def _push(api: Api, name: str, checkout: Checkout, push: Push, tree: str, proposal: Proposal) -> None:
    """Push a commit of the tree on HEAD, unless the branch is at such a one already."""
    before = push.at(proposal.branch)
    if before is not None:
        found = pull_requests.demand_own(api, name, proposal.branch, before)
        parents = [parent["sha"] for parent in found["parents"]]
        if found["tree"]["sha"] == tree and parents == [checkout.head().hexsha]:
            return
    made = checkout.commit(tree, f"{proposal.title}\n\n{TRAILER}\n")
    push.push(made, proposal.branch, before)


def _proposal(
    config: Config,
    checkout: Checkout,
    changes: Sequence[commit.Change],
    tree: str,
    branches: tuple[str, str],
) -> Proposal:
    inputs = update.inputs_of(config)
    patches = _patches(config, checkout, changes, inputs)
    matrix = marked(config, inputs)
    upstream = config.upstreams.get(inputs.matrix.upstream)
    web = web_address(upstream.web) if upstream is not None else None
    folder = PurePosixPath(_in_tree(config, checkout, config.backend))
    files = {
        name: [str(folder / path) for path in paths] for name, paths in status_table.touched(inputs).items()
    }
    text = status_table.body(matrix, patches, files, as_markdown(matrix), web)
    title = status_table.title(inputs.matrix, patches)
    return Proposal(*branches, title, text, checkout.digest(tree))


def _patches(
    config: Config, checkout: Checkout, changes: Sequence[commit.Change], inputs: generate.Inputs
) -> list[status_table.Change]:
    """The patch files among the changes, removed ones as HEAD has them; a transformer counts as its patch."""
    folder = PurePosixPath(_in_tree(config, checkout, config.patches))
    status = {PurePosixPath(c.path): c.status for c in changes if PurePosixPath(c.path).parent == folder}
    found = []
    for patch in inputs.patches:
        own = status.get(folder / f"{patch.id}.yaml")
        beside = patch.code is not None and folder / patch.code in status
        if own or beside:
            found.append(status_table.Change(own or "M", patch))
    for path, letter in status.items():
        if letter == "D" and path.suffix == ".yaml":
            gone = model.parse(checkout.text_in_head(str(path)), str(path))
            found.append(status_table.Change("D", gone))
    return sorted(found, key=lambda change: change.patch.order)


def _in_tree(config: Config, checkout: Checkout, path: str) -> str:
    return (config.root.resolve() / path).relative_to(checkout.top.resolve()).as_posix()
