"""``syncbot explain``: the history of an upstream symbol, or what one upstream change did."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

import click

from syncbot.cli.progress import meter
from syncbot.contracts.surface import Row, shown
from syncbot.errors import UsageError
from syncbot.explain.biography import Biography, Range, explain_symbol
from syncbot.explain.explained_commit import Explained, explain_commit
from syncbot.explain.interface_differences import Change
from syncbot.explain.symbol_history import State
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.session import backend_of, opened
from syncbot.lanes import matrix as matrices
from syncbot.lanes.matrix import Matrix
from syncbot.patching import model as patches
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.catalog import Upstream, open_upstream
from syncbot.upstream.commit_range import resolve
from syncbot.upstream.model import Commit
from syncbot.workflows.project import configured

_NUMBER = re.compile(r"#?(\d{1,6})$")
_SHA = re.compile(r"[0-9a-f]{7,40}$")
_MOST = 40
_DASH = "\N{EN DASH}"


@click.command(short_help="Tell the history of an upstream symbol, or of one change.")
@click.argument("subject", metavar="SYMBOL|PR|SHA")
@click.option("--from", "old", metavar="REF", help="From this tag, sha or version on, such as 0.28.0.")
@click.option("--to", "new", metavar="REF", help="Up to this tag, sha or version, such as latest.")
@click.option("--upstream", metavar="NAME|URL|PATH", help="Another upstream, such as ../vllm.")
@click.option(
    "--backend", "root", type=click.Path(path_type=Path), default=Path(),
    show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)  # fmt: skip
@click.option(
    "--format", "style", type=click.Choice(("text", "json")), default="text", show_default=True,
    help="How it is told, such as --format json.",
)  # fmt: skip
def command(
    subject: str, old: str | None, new: str | None, upstream: str | None, root: Path, style: str
) -> int:
    """Tell the history of an upstream symbol, or what one upstream change did.

    Of a symbol: where it stood, what it accepted and which bases it had, by version; the commits that
    changed that, where the upstream is a git history; who in the backend relies on it, what each lane
    has, and which patches mention it. Of a pull request's number or a sha: what it changed in the
    interface, and which contracts of the backend it meets.

    Example: syncbot explain vllm.config.VllmConfig
    """
    config = configured(root)
    file = config.root / config.matrix
    matrix = matrices.load(file) if file.exists() else None
    asked = [ref for ref in (old, new) if ref is not None]
    versions = [*asked, *(str(lane.version) for lane in matrix or ())]
    with (
        meter() as progress,
        open_upstream(config, upstream, cache_dir(), versions, progress) as followed,
        opened(config, followed, backend_of(config), cache_dir()) as trees,
    ):
        end = resolve(followed.repository, new) if new else followed.head
        start = resolve(followed.repository, old) if old else None
        commit = _commit(followed, subject, end)
        if commit is not None:
            told = explain_commit(trees, commit, AnalysisCache(cache_dir() / "analyses"))
            click.echo(_change_json(told) if style == "json" else _change_text(told))
            return 0
        at = _relied_on(followed, matrix, end)
        where = Range(start, end, at, followed.kind == "git")
        life = explain_symbol(trees, subject, where, matrix, patches.load(config.root / config.patches))
    click.echo(_symbol_json(life) if style == "json" else _symbol_text(life))
    return 0


def _commit(upstream: Upstream, subject: str, end: str) -> Commit | None:
    """The commit that a number or sha names; None for what can only be a symbol."""
    number = _NUMBER.fullmatch(subject)
    if number is None and not _SHA.fullmatch(subject):
        return None
    if upstream.kind == "release":
        raise UsageError(
            f"{upstream.name} is known by its releases alone, which have no pull requests: "
            "name a git history with --upstream PATH"
        )
    if number is not None:
        found = upstream.repository.of_pull_request(int(number[1]), end)
        if not found:
            raise UsageError(f"no commit's subject ends in (#{number[1]}): give its sha instead")
        return found[-1]
    return upstream.repository.commits(f"{subject}~1", subject)[0]


def _relied_on(upstream: Upstream, matrix: Matrix | None, end: str) -> str:
    """The tree that the backend is written against: the baseline's, where the upstream has that version."""
    try:
        return upstream.repository.resolve(matrix.baseline) if matrix is not None else end
    except UsageError:
        return end


# Text


def _symbol_text(life: Biography) -> str:
    lines = [f"{life.state.name}  {life.state.kind}"]
    if life.symbol != life.state.name:
        lines[0] += f"  (asked as {life.symbol})"
    if life.versions:
        first, last = life.versions[0][0], life.versions[-1][0]
        lines += ["", f"by version ({len(life.versions)} releases, {first} to {last})"]
        lines += _runs("name", [(v, s.name if s else "not there") for v, s in life.versions])
        lines += _runs(
            "value" if life.state.kind == "variable" else "signature",
            [(v, (s.signature or "not known") if s else None) for v, s in life.versions],
        )
        if life.state.kind == "class":
            lines += _runs("bases", [(v, f"({', '.join(s.bases)})" if s else None) for v, s in life.versions])
    elif life.state.signature is not None:
        lines += [f"  {life.state.signature}"]
    if life.steps:
        lines += ["", f"commits that changed its interface ({len(life.steps)} of {life.touched} of its file)"]
        for step in life.steps:
            lines.append(f"  {_headline(step.commit)}")
            lines += [f"    {_change(change, life.names)}" for change in step.changes[:_MOST]]
            lines += _more(len(step.changes), "    ")
    lines += ["", "relied on by"]
    lines += [f"  {row.symbol} ({row.kind}): {shown(row.places)}" for row in life.contracts]
    lines += [] if life.contracts else ["  nothing in the backend"]
    if life.lanes:
        lines += ["", "lanes"]
        for lane in life.lanes:
            state = lane.state
            told = f"{state.name} {state.signature or ''}".rstrip() if state else "not there"
            lines.append(f"  {lane.tag}: {told if lane.known else 'this upstream has no such version'}")
    lines += ["", "patches"]
    lines += [f"  {patch.id} ({patch.status}): {patch.reason}" for patch in life.patches]
    lines += [] if life.patches else ["  none mentions it"]
    return "\n".join(lines)


def _runs(title: str, points: Sequence[tuple[str, str | None]]) -> list[str]:
    """Equal neighbours as one line each; versions without a value are left out."""
    lines = [f"  {title}"]
    rows = []
    for value, group in groupby(points, key=lambda point: point[1]):
        versions = [version for version, _ in group]
        if value is not None:
            open_end = versions[-1] == points[-1][0]
            last = "" if open_end else versions[-1]
            single = len(versions) == 1 and not open_end
            rows.append((versions[0] if single else f"{versions[0]}{_DASH}{last}", value))
    width = max((len(span) for span, _ in rows), default=0)
    return lines + [f"    {span:<{width}}  {value}" for span, value in rows]


def _change_text(told: Explained) -> str:
    lines = [_headline(told.commit), "", f"changes of the interface ({len(told.changes)})"]
    lines += [f"  {_change(change)}" for change in told.changes[:_MOST]]
    lines += _more(len(told.changes), "  ")
    lines += [] if told.changes else ["  none in the upstream's packages"]
    lines += ["", "what it means for the backend"]
    lines += [f"  {impact.verdict}: {impact.message} ({shown(impact.locations)})" for impact in told.impacts]
    lines += [] if told.impacts else ["  nothing that breaks or is at risk"]
    lines += ["", "contracts with what it changed"]
    lines += [f"  {row.symbol} ({row.kind}): {shown(row.places)}" for row in told.contracts]
    lines += [] if told.contracts else ["  none"]
    return "\n".join(lines)


def _headline(commit: Commit) -> str:
    return f"{commit.date:%Y-%m-%d} {commit.sha[:10]} {commit.subject}"


def _change(change: Change, names: Sequence[str] = ()) -> str:
    """One line; what is inside a symbol that is spoken of goes by its name there."""
    symbol = change.symbol
    inside = next((name for name in names if symbol.startswith(f"{name}.")), None)
    if inside is not None:
        return _change(Change(change.kind, symbol.removeprefix(f"{inside}."), change.detail))
    return f"{change.kind} {change.symbol}" + (f": {change.detail}" if change.detail else "")


def _more(count: int, indent: str) -> list[str]:
    return [f"{indent}and {count - _MOST} more (--format json has all)"] if count > _MOST else []


# JSON


def _symbol_json(life: Biography) -> str:
    document = {
        "symbol": life.symbol,
        "state": _state(life.state),
        "names": list(life.names),
        "versions": [{"version": version, "state": _state(state)} for version, state in life.versions],
        "commits": [{**_commit_row(s.commit), "changes": _changes(s.changes)} for s in life.steps],
        "contracts": _rows(life.contracts),
        "lanes": [{"tag": lane.tag, "known": lane.known, "state": _state(lane.state)} for lane in life.lanes],
        "patches": [{"id": p.id, "status": p.status, "reason": p.reason} for p in life.patches],
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _change_json(told: Explained) -> str:
    document = {
        **_commit_row(told.commit),
        "changes": _changes(told.changes),
        "impacts": [
            {
                "id": i.id,
                "verdict": i.verdict.value,
                "kind": i.kind,
                "symbol": i.symbol,
                "message": i.message,
                "tests_only": i.tests_only,
                "locations": [{"file": p.file, "line": p.line, "column": p.column} for p in i.locations],
            }
            for i in told.impacts
        ],
        "contracts": _rows(told.contracts),
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _commit_row(commit: Commit) -> dict[str, object]:
    return {
        "sha": commit.sha,
        "pr": commit.pr,
        "date": commit.date.isoformat(),
        "author": commit.author,
        "subject": commit.subject,
    }


def _state(state: State | None) -> dict[str, object] | None:
    if state is None:
        return None
    return {
        "name": state.name,
        "kind": state.kind,
        "signature": state.signature,
        "bases": list(state.bases),
    }


def _changes(changes: Iterable[Change]) -> list[dict[str, str]]:
    return [{"kind": c.kind, "symbol": c.symbol, "detail": c.detail} for c in changes]


def _rows(rows: Iterable[Row]) -> list[dict[str, object]]:
    return [
        {
            "kind": row.kind,
            "symbol": row.symbol,
            "locations": [{"file": p.file, "line": p.line, "column": p.column} for p in row.places],
        }
        for row in rows
    ]
