"""``syncbot bisect``: the upstream commit that makes a command fail, in few runs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.cli.shared_output import impact_value
from syncbot.report.untrusted_text import json_text, printable
from syncbot.upstream.model import Commit

if TYPE_CHECKING:
    from syncbot.bisect.commit_line import Line
    from syncbot.bisect.session import Answer, Result
    from syncbot.bisect.state import Run

_MOST = 5


@click.command(short_help="Find the upstream commit that makes a command fail.")
@click.option("--from", "good", required=True, metavar="REF", help="A good commit, such as v0.31.0.")
@click.option("--to", "bad", required=True, metavar="REF", help="A bad commit after it, such as latest.")
@click.option("--all", "every", is_flag=True, help="Go on after the first bad commit and find all.")
@click.option("--test", type=click.Path(path_type=Path), help="The failing test, such as tests/test_a.py.")
@click.option("--setup", metavar="LINE", help="Shell line before each run, such as 'make -C {tree}'.")
@click.option("--simulate", is_flag=True, help="Run the simulated check of a lane instead of a command.")
@click.option("--lane", metavar="TAG", help="Simulate this lane, such as v0.28.0. [default: the baseline]")
@click.option(
    "--resume/--restart", default=True, show_default=True,
    help="Keep the runs of an earlier, equal search, or forget them.",
)  # fmt: skip
@options.upstream
@options.by
@options.backend
@options.text_or_json
@click.argument("words", metavar="-- COMMAND...", nargs=-1, type=click.UNPROCESSED)
def command(style: str, **asked: Any) -> int:
    """Find the upstream commit at which a command begins to fail.

    It runs the commits first that static analysis suspects, and halves the others. Exit codes as for git
    bisect run: 0 is good, 125 skips the commit, any other below 128 is bad. The commit's files are in one
    folder, which is first on PYTHONPATH; {tree} in COMMAND is that folder, {commit} the sha. An interrupted
    search goes on where it stopped.

    Example: syncbot bisect --from v0.31.0 --to v0.32.0 -- pytest -x tests/test_worker.py
    """
    from syncbot.workflows.bisect import BisectOptions, find_bad_commits

    result = find_bad_commits(BisectOptions(**asked), _tell, meter)
    click.echo(_json(result) if style == "json" else _text(result))
    return 1


def _tell(line: Line, run: Run) -> None:
    click.echo(printable(_run(line, run)), err=True)


def _run(line: Line, run: Run) -> str:
    return f"{line.name(run.commit):<10} {run.verdict:<4} {run.seconds:7.1f} s  {run.said}"


def _text(result: Result) -> str:
    lines = [line for answer in result.answers for line in (*_told(answer, result.line), "")]
    lines += ["runs", *(f"  {_run(result.line, run)}" for run in result.runs)]
    fresh, several = len(result.runs) - result.known, _noun(result.line)
    lines += [
        "",
        f"{len(result.runs)} runs ({fresh} now), {sum(r.seconds for r in result.runs):.0f} s; "
        f"plain halving of {result.count} {several} takes {result.halving} runs",
        f"{result.met} of {result.count} {several} change what the project's contracts rest on",
    ]
    if not result.monotone:
        lines.append("the range is not good first and bad after: --all finds every change")
    return "\n".join(map(printable, lines))


def _noun(line: Line) -> str:
    return "releases" if line.releases else "commits"


def _told(answer: Answer, line: Line) -> list[str]:
    what = "good again from" if answer.mends else "bad from"
    if len(answer.commits) == 1:
        lines = [f"{what}: {_headline(answer.commits[0], line)}"]
    else:
        lines = [f"{what} one of {len(answer.commits)} {_noun(line)} (all but the last were skipped):"]
        lines += [f"  {_headline(commit, line)}" for commit in answer.commits]
    if answer.merged:
        lines.append(f"  it merges {len(answer.merged)} commits: search between its parents for the one")
    for run, commit in ((answer.before, answer.parent), (answer.after, answer.commits[-1].sha)):
        if run is None:
            lines.append(f"  {line.name(commit)} was not run to its end: its verdict is assumed")
        else:
            lines.append(
                f"  {line.name(commit)} is {run.verdict}: exit code {run.code}, {run.said or 'no output'}"
            )
    for impact in answer.impacts[:_MOST]:
        places = ", ".join(f"{place.file}:{place.line}" for place in impact.locations[:3])
        lines.append(f"  {impact.verdict}: {impact.message} ({places})")
    return lines


def _headline(commit: Commit, line: Line) -> str:
    name = line.name(commit.sha)
    return f"{name} {commit.date:%Y-%m-%d}" + ("" if commit.sha in line.releases else f" {commit.subject}")


def _json(result: Result) -> str:
    document = {
        "answers": [
            {
                "mends": answer.mends,
                "commits": [_commit(commit) for commit in answer.commits],
                "merged": [commit.sha for commit in answer.merged],
                "parent": answer.parent,
                "before": answer.before and asdict(answer.before),
                "after": answer.after and asdict(answer.after),
                "impacts": [impact_value(impact) for impact in answer.impacts],
            }
            for answer in result.answers
        ],
        "runs": [asdict(run) for run in result.runs],
        "known": result.known,
        "commits": result.count,
        "commits_met": result.met,
        "halving": result.halving,
        "monotone": result.monotone,
    }
    return json_text(document)


def _commit(commit: Commit) -> dict[str, object]:
    return {"sha": commit.sha, "pr": commit.pr, "date": commit.date.isoformat(), "subject": commit.subject}
