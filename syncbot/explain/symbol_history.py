"""The history of an upstream symbol: over version tags and, in a git repository, commit by commit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from packaging.version import Version

from syncbot.api.extract import extract
from syncbot.api.methods import is_static
from syncbot.api.model import Attribute
from syncbot.api.signatures import constructor, function_signatures
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.errors import UsageError
from syncbot.explain.definition_text import definitions
from syncbot.explain.interface_differences import (
    Change,
    Node,
    member,
    module_changes,
    moved,
    node_changes,
    nodes,
)
from syncbot.impact.trees import Trees
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Commit, FileChange

# How often a definition may have changed its file before the walk gives up.
_MOVES = 20
# How many commits are asked for a name that the newest tree lacks.
_LOOKS = 20


@dataclass(frozen=True, slots=True)
class State:
    """A symbol in one tree; ``signature`` of a variable is its value, None where nobody can tell."""

    name: str
    kind: str
    signature: str | None = None
    bases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A commit that changed a symbol's interface."""

    commit: Commit
    changes: tuple[Change, ...]


def state_of(universe: Universe, name: str) -> State | None:
    """The state of a symbol in one tree, None where the tree has no such name."""
    symbol = universe.resolve(name)
    if symbol is None or symbol.kind == "unknown":
        tree = universe.tree_of(name)
        return State(name, "module") if tree is not None and tree.exists(name) else None
    if symbol.kind == "class":
        made = constructor(universe, symbol)
        bases = tuple(written for written, _ in universe.bases(symbol))
        return State(symbol.name, "class", str(made[0][-1]) if made and made[0] else None, bases)
    if symbol.kind == "function":
        if not symbol.functions:
            return State(symbol.name, "function")
        bound = "." in symbol.qualname and not is_static(symbol.functions[-1])
        offered = function_signatures(symbol.functions, bound=bound)
        return State(symbol.name, "function", str(offered[-1]) if offered else None)
    if symbol.kind == "variable":
        values = [n.value for n in symbol.nodes if isinstance(n, Attribute)]
        return State(symbol.name, "variable", f"= {values[-1]}" if values and values[-1] else None)
    return State(symbol.name, symbol.kind)


def over_versions(
    trees: Trees, name: str, tags: Sequence[tuple[Version, str]]
) -> list[tuple[str, State | None]]:
    """The state of a symbol at each of some version tags (oldest first), its moves followed both ways."""
    commits = [trees.repository.resolve(f"refs/tags/{tag}") for _, tag in tags]
    universes = [trees.universe(trees.tree(commit)) for commit in commits]
    found: list[State | None] = [None] * len(commits)
    anchor = next((i for i in range(len(commits) - 1, -1, -1) if state_of(universes[i], name)), None)
    if anchor is not None:
        found[anchor] = state_of(universes[anchor], name)
        for indices in (range(anchor - 1, -1, -1), range(anchor + 1, len(commits))):
            current, last = name, anchor
            for index in indices:
                # A name that is gone for longer than one version is looked for no more, only waited for.
                if abs(index - last) == 1 and state_of(universes[index], current) is None:
                    current = _moved_name(trees, universes[last], current, commits[last], commits[index])
                found[index] = state_of(universes[index], current)
                last = index if found[index] is not None else last
    return [(str(version), state) for (version, _), state in zip(tags, found, strict=True)]


def _moved_name(trees: Trees, universe: Universe, name: str, here: str, there: str) -> str:
    """Return the new name in another tree, which lacks this one; the name itself where nobody can tell."""
    symbol = universe.resolve(name)
    return (_new_home(trees, symbol, here, there) if symbol is not None else None) or name


def _new_home(trees: Trees, symbol: Symbol, here: str, there: str) -> str | None:
    """The dotted name that a symbol of the tree ``here`` moved to; None where nobody can tell."""
    top, _, rest = symbol.qualname.partition(".")
    moved = trees.comparison(here, there).relocation(f"{symbol.module}.{top}" if top else symbol.module)
    return ".".join(filter(None, (moved.name, rest))) if moved is not None else None


def over_commits(trees: Trees, name: str, old: str | None, new: str) -> tuple[list[Step], int, list[str]]:
    """The commits that changed a symbol's interface, newest first, how many changed its file, and its names.
    Raises UsageError where no commit knows the name."""
    symbol, ending = _newest(trees, name, old, new)
    steps: list[Step] = []
    at = new
    if ending is not None:
        at = ending.parents[0]
        steps.append(Step(ending, (Change("removed", symbol.name, symbol.kind),)))
    path = trees.tree(at).path(symbol.module)
    touched, names = 0, [symbol.name]
    top, *rest = symbol.qualname.split(".")
    home: str | None = f"{symbol.module}.{top}"
    for _ in range(_MOVES):
        if home is None or path is None:
            break
        here, home = home, None
        commits = trees.repository.touching([path], old, at)
        for commit, before, after in _texts(trees.repository, commits, path):
            touched += 1
            changes, home = _step(trees, commit, here, rest, before, after)
            if changes:
                steps.append(Step(commit, changes))
            if home is not None:
                at = commit.parents[0]
                path = trees.tree(at).path(home.rpartition(".")[0])
                names.append(".".join([home, *rest]))
                break
    return steps, touched, names


def _newest(trees: Trees, name: str, old: str | None, new: str) -> tuple[Symbol, Commit | None]:
    """The symbol where it was last seen, moves followed, and the commit that ended it (None: still there)."""
    for _ in range(_MOVES):
        found = trees.universe(trees.tree(new)).resolve(name)
        if found is not None and found.kind != "unknown":
            return found, None
        seen = _last_seen(trees, name, old, new)
        if seen is None:
            break
        symbol, commit = seen
        if symbol.name != name and trees.universe(trees.tree(commit.sha)).resolve(symbol.name):
            # Only a way to it was closed: the definition stands.
            name = symbol.name
            continue
        home = _new_home(trees, symbol, commit.parents[0], commit.sha)
        if home is None:
            return symbol, commit
        name = home
    raise UsageError(
        f"no commit of the range has {name}: spell it as it is imported, such as package.module.Name"
    )


def _last_seen(trees: Trees, name: str, old: str | None, new: str) -> tuple[Symbol, Commit] | None:
    """The symbol as it was just before the newest commit that took the name away, and that commit."""
    commits = trees.repository.touching(_candidates(trees, name, new), old, new)
    for commit in commits[:_LOOKS]:
        if commit.parents:
            found = trees.universe(trees.tree(commit.parents[0])).resolve(name)
            if found is not None and found.kind != "unknown":
                return found, commit
    return None


def _candidates(trees: Trees, name: str, commit: str) -> list[str]:
    """The files that a dotted name may stand for or stand in."""
    tree = trees.tree(commit)
    package, *parts = name.split(".")
    top = tree.path(package) or f"{package}/__init__.py"
    root = top.removesuffix(f"{package}/__init__.py")
    paths = [top]
    for length in range(1, len(parts) + 1):
        folder = "/".join([f"{root}{package}", *parts[:length]])
        paths += [f"{folder}.py", f"{folder}/__init__.py"]
    return paths


def _texts(
    repository: GitRepository, commits: Sequence[Commit], path: str
) -> Iterator[tuple[Commit, bytes | None, bytes | None]]:
    pairs = []
    for commit in commits:
        file = next((f for f in commit.files if path in (f.old_path, f.new_path)), None)
        if file is not None:
            pairs.append((commit, file.old_blob, file.new_blob))
    wanted = list(dict.fromkeys(blob for _, *both in pairs for blob in both if blob))
    repository.prefetch(wanted)
    texts = dict(repository.blobs(wanted))
    for commit, before, after in pairs:
        yield commit, texts.get(before or ""), texts.get(after or "")


def _step(
    trees: Trees, commit: Commit, base: str, rest: Sequence[str], before: bytes | None, after: bytes | None
) -> tuple[tuple[Change, ...], str | None]:
    """Return a commit's changes of ``base.rest``, and the old name if it moved or renamed the definition."""
    module, _, top = base.rpartition(".")
    name = ".".join([base, *rest])
    old = nodes(module, definitions(before, top)).get(base)
    new = nodes(module, definitions(after, top)).get(base)
    if new is not None and old is None and commit.parents:
        former = trees.comparison(commit.sha, commit.parents[0]).relocation(base)
        was = _definition(trees, commit.parents[0], former.name) if former is not None else None
        if former is not None and was is not None:
            came = Change(former.how, name, f"from {'.'.join([former.name, *rest])}")
            changed = (c for c in node_changes(base, was, new) if f"{c.symbol}.".startswith(f"{name}."))
            return (came, *changed), former.name
    inner_old = member(old, rest) if old is not None else None
    inner_new = member(new, rest) if new is not None else None
    if inner_old is not None and inner_new is not None:
        return tuple(node_changes(name, inner_old, inner_new)), None
    if inner_old is None and inner_new is None:
        return (), None
    return (Change("added" if inner_old is None else "removed", name),), None


def _definition(trees: Trees, commit: str, name: str) -> Node | None:
    module, _, top = name.rpartition(".")
    source = trees.tree(commit).source(module)
    return nodes(module, definitions(source, top)).get(name)


def _python(commit: Commit) -> list[FileChange]:
    return [f for f in commit.files if (f.new_path or f.old_path or "").endswith((".py", ".pyi"))]


def commit_changes(trees: Trees, commit: Commit) -> list[Change]:
    """Return a commit's changes of the packages' interface; it must not be the first of its history."""
    before = trees.tree(commit.parents[0]).module_at
    after = trees.tree(commit.sha).module_at
    files = _python(commit)
    trees.load(blob for f in files for blob in (f.old_blob, f.new_blob) if blob)
    changes: list[Change] = []
    gone: dict[str, Node] = {}
    come: dict[str, Node] = {}
    for file in files:
        was = before(file.old_path) if file.old_path and file.old_blob and file.status not in "AC" else None
        now = after(file.new_path) if file.new_path and file.new_blob else None
        old = extract(trees.read(file.old_blob)) if was and file.old_blob else None
        new = extract(trees.read(file.new_blob)) if now and file.new_blob else None
        if was and now and was != now:
            changes.append(Change("moved", now, f"from {was}"))
        if now is not None:
            changes += module_changes(now, old, new)
            come |= nodes(now, new)
        elif was is not None:
            changes += module_changes(was, old, None)
        if was is not None:
            gone |= nodes(was, old)
    return moved(changes, gone, come)
