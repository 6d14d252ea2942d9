"""The changes of a lane as commits for ``git am``: one for each cause."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.errors import EnvironmentFailure
from syncbot.lanes import generate
from syncbot.lanes.generate import Inputs
from syncbot.lanes.matrix import Lane
from syncbot.lanes.wheel import EPOCH
from syncbot.patching.model import Patch
from syncbot.upstream.bare_repository import prepare
from syncbot.upstream.git_command import Access, GitCommand

_WHO = "syncbot"
_MAIL = "syncbot@localhost"
_SUBJECT = 72


@dataclass(frozen=True, slots=True)
class Change:
    """One commit: what it says, the files that it changes, before and after, and the patch that it is of, if
    it is of one."""

    message: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    patch: Patch | None = None


def changes(inputs: Inputs, lane: Lane) -> Iterator[Change]:
    """Yield the commits that make a lane of the published sources. Raises as ``generate.render``."""
    state = {path: raw.decode() for path, raw in inputs.files.items() if path.endswith(".py")}
    gated = generate.modules(inputs, lane)
    said = f"Decide the tests of the version for {inputs.distribution} {lane.version}"
    steps = inputs.steps(lane)
    states: list[tuple[str, dict[str, str], Patch | None]] = [(said, gated, None)]
    for number, step in enumerate(steps, 1):
        after = inputs.chain.apply(gated, steps[:number])
        states.append((message(step.patch, inputs.distribution), after, step.patch))
    final = {path: raw.decode() for path, raw in generate.render(inputs, lane).items() if path in state}
    states.append((f"Derive overrides anew from {inputs.distribution} {lane.version}", final, None))
    for said, after, patch in states:
        paths = [path for path in sorted(state) if state[path] != after[path]]
        if paths:
            yield Change(said, {p: state[p] for p in paths}, {p: after[p] for p in paths}, patch)
        state = dict(after)


def message(patch: Patch, distribution: str) -> str:
    """Return what a commit says of a patch: why, what upstream changed, what is done, how it is proven."""
    words = " ".join(patch.reason.split()).rstrip(".")
    subject = words if len(words) <= _SUBJECT else f"{words[: _SUBJECT - 1].rpartition(' ')[0]}…"
    change = patch.upstream
    since = f"{patch.symbol} of {distribution}, since {change.first_version}"
    since += f", pull request {change.pr}" if change.pr else ""
    since += f", commit {change.commit}" if change.commit else ""
    done = [rewrite.rule.replace("_", " ") for rewrite in patch.rewrites]
    done += [
        f"{m.within} merged with what {m.original} became from {m.base} to {m.end}" for m in patch.merges
    ]
    done += [f"code in {patch.code}"] if patch.code else []
    lines = [subject, "", *([f"{words}.", ""] if subject != words else []), f"Upstream: {since}."]
    lines.append(f"Done: {'; '.join(dict.fromkeys(done))}.")
    if patch.proven_by:
        lines.append(f"Proven by: {', '.join(patch.proven_by)}.")
    return "\n".join([*lines, f"Patch: {patch.id}", ""])


def write_series(commits: Sequence[Change], folder: Path, executable: Collection[str] = ()) -> list[Path]:
    """Write the commits to a folder as git am takes them, and return the files. The same commits give the
    same bytes. ``executable`` files keep that mode. Raises EnvironmentFailure."""
    base: dict[str, str] = {}
    for commit in commits:
        base = {**commit.before, **base}
    with tempfile.TemporaryDirectory(prefix="syncbot-series-") as scratch:
        git = GitCommand(Path(scratch, "git"), Access.OWN)
        prepare(git)
        repository = _Commits(git, executable)
        first = tip = repository.commit(base, "The published sources", None)
        for commit in commits:
            tip = repository.commit(commit.after, commit.message, tip)
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.patch"):
            old.unlink()
        git.run(
            "format-patch", "--quiet", "--no-signature", "--no-numbered", "--zero-commit", "--full-index",
            "-o", os.fspath(folder.absolute()), f"{first}..{tip}",
        )  # fmt: skip
    found = sorted(folder.glob("*.patch"))
    if len(found) != len(commits):
        raise EnvironmentFailure(f"git wrote {len(found)} of {len(commits)} commits into {folder}")
    return found


class _Commits:
    """Makes commits in a bare repository, through an index of its own."""

    def __init__(self, git: GitCommand, executable: Collection[str]) -> None:
        self._git = git
        self._executable = executable
        moment = f"{EPOCH} +0000"
        self._environment = {"GIT_INDEX_FILE": os.fspath(git.git_dir / "series-index")}
        for role in ("AUTHOR", "COMMITTER"):
            self._environment |= {
                f"GIT_{role}_NAME": _WHO, f"GIT_{role}_EMAIL": _MAIL, f"GIT_{role}_DATE": moment,
            }  # fmt: skip

    def commit(self, files: Mapping[str, str], said: str, parent: str | None) -> str:
        """Return a commit with these files changed."""
        rows = [self._row(path, text) for path, text in files.items()]
        self._run("update-index", "--add", "--index-info", input="".join(rows))
        above = ["-p", parent] if parent is not None else []
        return self._run("commit-tree", self._run("write-tree"), *above, input=said)

    def _row(self, path: str, text: str) -> str:
        mode = "100755" if path in self._executable else "100644"
        return f"{mode} {self._run('hash-object', '-w', '--stdin', input=text)}\t{path}\n"

    def _run(self, *args: str, input: str = "") -> str:
        return self._git.run(*args, input=input.encode(), environment=self._environment).decode().strip()
