"""``syncbot explain``: the history of an upstream symbol, or what one upstream change did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.cli.shared_output import contract_lines, contract_values, impact_value
from syncbot.explain.interface_differences import Change
from syncbot.explain.signature_differences import difference
from syncbot.report.untrusted_text import json_text, printable
from syncbot.upstream.model import Commit

if TYPE_CHECKING:
    from syncbot.explain.biography import Biography
    from syncbot.explain.explained_commit import Explained

_MOST = 40
_DASH = "\N{EN DASH}"


@click.command(short_help="Tell the history of an upstream symbol, or of one change.")
@click.argument("subject", metavar="SYMBOL|PR|SHA|CODE")
@click.option("--from", "old", metavar="REF", help="From this tag, sha or version on, such as 0.28.0.")
@click.option("--to", "new", metavar="REF", help="Up to this tag, sha or version, such as latest.")
@options.upstream
@options.by
@options.backend
@options.text_or_json
def command(style: str, **asked: Any) -> int:
    """Tell the history of an upstream symbol, or what one upstream change did.

    For a symbol: its place, its signature and its bases in each version; the commits that changed them, if
    the upstream is a git repository; which lines of the backend rely on it, what each lane has, and which
    patches name it. For a pull request's number or a sha: what it changed in the interface, and which
    contracts of the backend that concerns. For the code of a kind of change, such as SB207: what it means.

    Example: syncbot explain vllm.config.VllmConfig
    """
    from syncbot.explain.biography import Biography
    from syncbot.explain.explained_kind import as_text, kind_of_code, values
    from syncbot.workflows.explain import ExplainOptions, explain_upstream

    kind = kind_of_code(asked["subject"])
    if kind is not None:
        click.echo(json_text(values(kind)) if style == "json" else as_text(kind))
        return 0
    with meter() as progress:
        told = explain_upstream(ExplainOptions(**asked), progress)
    if isinstance(told, Biography):
        click.echo(_symbol_json(told) if style == "json" else _symbol_text(told))
    else:
        click.echo(_change_json(told) if style == "json" else _change_text(told))
    return 0


def _symbol_text(life: Biography) -> str:
    lines = [f"{life.state.name}  {life.state.kind}"]
    if life.symbol != life.state.name:
        lines[0] += f"  (asked as {life.symbol})"
    lines += _versions(life)
    if life.steps:
        lines += ["", f"commits that changed its interface ({len(life.steps)} of {life.touched} of its file)"]
    for step in life.steps:
        lines.append(f"  {_headline(step.commit)}")
        lines += [f"    {_change(change, life.names)}" for change in step.changes[:_MOST]]
        lines += [f"    {line}" for line in _more(len(step.changes))]
    lines += _section("relied on by", contract_lines(life.contracts), "nothing in the project")
    lines += _lanes(life)
    patches = [f"{patch.id} ({patch.status}): {patch.reason}" for patch in life.patches]
    return _text([*lines, *_section("patches", patches, "none mentions it")])


def _versions(life: Biography) -> list[str]:
    """The symbol's name, signature and bases by version; the signature alone where no version is known."""
    if not life.versions:
        return [f"  {life.state.signature}"] if life.state.signature is not None else []
    first, last = life.versions[0][0], life.versions[-1][0]
    lines = ["", f"by version ({len(life.versions)} releases, {first} to {last})"]
    lines += _runs("name", [(v, s.name if s else "not there") for v, s in life.versions])
    told = [(v, (s.signature or "not known") if s else None) for v, s in life.versions]
    if life.state.kind == "variable":
        lines += _runs("value", told)
    else:
        lines += _runs("signature", told, difference)
    if life.state.kind == "class":
        lines += _runs("bases", [(v, f"({', '.join(s.bases)})" if s else None) for v, s in life.versions])
    return lines


def _lanes(life: Biography) -> list[str]:
    lines = ["", "lanes"] if life.lanes else []
    for lane in life.lanes:
        state = lane.state
        told = f"{state.name} {state.signature or ''}".rstrip() if state else "not there"
        lines.append(f"  {lane.tag}: {told if lane.known else 'this upstream has no such version'}")
    return lines


def _as_it_is(_: str, now: str) -> str:
    return now


def _runs(
    title: str, points: Sequence[tuple[str, str | None]], told: Callable[[str, str], str] = _as_it_is
) -> list[str]:
    """Equal neighbours as one line each; versions without a value are left out. ``told`` is how a value is
    told beside the one before it."""
    lines = [f"  {title}"]
    rows: list[tuple[str, str]] = []
    before = ""
    for value, group in groupby(points, key=lambda point: point[1]):
        versions = [version for version, _ in group]
        if value is not None:
            open_end = versions[-1] == points[-1][0]
            last = "" if open_end else versions[-1]
            single = len(versions) == 1 and not open_end
            span = versions[0] if single else f"{versions[0]}{_DASH}{last}"
            rows.append((span, told(before, value) if before else value))
            before = value
    width = max((len(span) for span, _ in rows), default=0)
    return lines + [f"    {span:<{width}}  {value}" for span, value in rows]


def _change_text(told: Explained) -> str:
    from syncbot.contracts.surface import shown

    changes = [_change(change) for change in told.changes[:_MOST]] + _more(len(told.changes))
    impacts = [
        f"{i.verdict}: {i.message} ({shown(i.locations)}; checks: {', '.join(i.checks)})"
        for i in told.impacts
    ]
    title = f"changes of the interface ({len(told.changes)})"
    lines = [_headline(told.commit), *_section(title, changes, "none in the upstream's packages")]
    lines += _section("what it means for the project", impacts, "nothing that breaks or is at risk")
    lines += _section("contracts with what it changed", contract_lines(told.contracts), "none")
    return _text(lines)


def _text(lines: Sequence[str]) -> str:
    return "\n".join(map(printable, lines))


def _section(title: str, lines: Sequence[str], otherwise: str) -> list[str]:
    """An empty line, the title, and the lines below it, or what is said where there are none."""
    return ["", title, *(f"  {line}" for line in lines or [otherwise])]


def _headline(commit: Commit) -> str:
    return f"{commit.date:%Y-%m-%d} {commit.sha[:10]} {commit.subject}"


def _change(change: Change, names: Sequence[str] = ()) -> str:
    """One line; what is inside a symbol that is spoken of goes by its name there."""
    inside = next((f"{name}." for name in names if change.symbol.startswith(f"{name}.")), "")
    detail = f": {change.detail}" if change.detail else ""
    return f"{change.kind} {change.symbol.removeprefix(inside)}{detail}"


def _more(count: int) -> list[str]:
    return [f"and {count - _MOST} more (--format json has all)"] if count > _MOST else []


def _symbol_json(life: Biography) -> str:
    document = {
        "symbol": life.symbol,
        "state": asdict(life.state),
        "names": life.names,
        "versions": [{"version": v, "state": state and asdict(state)} for v, state in life.versions],
        "commits": [{**_commit(s.commit), "changes": [asdict(c) for c in s.changes]} for s in life.steps],
        "contracts": contract_values(life.contracts),
        "lanes": [
            {"tag": lane.tag, "known": lane.known, "state": lane.state and asdict(lane.state)}
            for lane in life.lanes
        ],
        "patches": [{"id": p.id, "status": p.status, "reason": p.reason} for p in life.patches],
    }
    return json_text(document)


def _change_json(told: Explained) -> str:
    document = {
        **_commit(told.commit),
        "changes": [asdict(change) for change in told.changes],
        "impacts": [{**impact_value(i), "tests_only": i.tests_only} for i in told.impacts],
        "contracts": contract_values(told.contracts),
    }
    return json_text(document)


def _commit(commit: Commit) -> dict[str, object]:
    return {
        "sha": commit.sha,
        "pr": commit.pr,
        "date": commit.date.isoformat(),
        "author": commit.author,
        "subject": commit.subject,
    }
