"""``syncbot bisect``: the upstream commit that makes a command fail, in few runs."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from syncbot.bisect.commit_line import Line, line_of
from syncbot.bisect.imported_files import imported_files
from syncbot.bisect.session import Answer, Result, search
from syncbot.bisect.simulated_trial import simulated_command
from syncbot.bisect.state import Run, State, key
from syncbot.bisect.suspects import Scope, Suspicion, healed, suspicions
from syncbot.bisect.trial import Command, Trial
from syncbot.cli.progress import meter
from syncbot.config import Config
from syncbot.contracts.sources import Backend, read_backend
from syncbot.errors import UsageError
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.session import backend_of, opened
from syncbot.lanes import update
from syncbot.lanes.generate import Generated, generate
from syncbot.lanes.matrix import Lane
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.catalog import Upstream, open_upstream
from syncbot.upstream.checkout import TreeFolder
from syncbot.upstream.commit_range import Span, between
from syncbot.upstream.model import Commit
from syncbot.upstream.process_lock import held
from syncbot.verify.installer import Installer
from syncbot.verify.lane_environment import SimulationSetup, simulation
from syncbot.workflows.project import configured

_MOST = 5


@click.command()
@click.option("--from", "good", required=True, metavar="REF", help="A good commit, such as v0.31.0.")
@click.option("--to", "bad", required=True, metavar="REF", help="A bad one after it, such as latest.")
@click.option("--all", "every", is_flag=True, help="Go on after the first: find every bad commit.")
@click.option("--test", type=click.Path(path_type=Path), help="The failing test, such as tests/test_a.py.")
@click.option("--setup", metavar="LINE", help="Shell line before each run, such as 'make -C {tree}'.")
@click.option("--simulate", is_flag=True, help="Run the simulated check of a lane instead of a command.")
@click.option("--lane", "tag", metavar="TAG", help="Lane to simulate, such as v0.28.0. [default: baseline]")
@click.option("--resume/--restart", default=True, show_default=True, help="Keep the runs of the same search.")
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
@click.argument("words", metavar="-- COMMAND...", nargs=-1, type=click.UNPROCESSED)
def command(
    good: str,
    bad: str,
    every: bool,
    test: Path | None,
    setup: str | None,
    simulate: bool,
    tag: str | None,
    resume: bool,
    upstream: str | None,
    root: Path,
    style: str,
    words: tuple[str, ...],
) -> int:
    """Find the upstream commit at which a command begins to fail.

    Commits that static analysis suspects are run first, the others halved. Exit codes as for git bisect
    run: 0 is good, 125 skips the commit, any other below 128 is bad. The files of the commit are in one
    folder that is first on PYTHONPATH; {tree} and {commit} in COMMAND stand for it and for the sha.
    An interrupted search goes on where it stopped.

    Example: syncbot bisect --from v0.31.0 --to v0.32.0 -- pytest -x tests/test_worker.py
    """
    if bool(words) == simulate:
        raise UsageError("give either a command after -- or --simulate")
    if simulate and (setup or test):
        raise UsageError("--setup and --test belong to a command: leave them out with --simulate")
    if tag is not None and not simulate:
        raise UsageError("--lane says what to simulate: add --simulate")
    config, cache = configured(root), cache_dir()
    simulated = _lane(config, tag) if simulate else None
    own = backend_of(config)
    if simulated is not None:
        own = read_backend(simulated.made.folder, config.sources, config.tests)
    with meter() as progress, open_upstream(config, upstream, cache, [good, bad], progress) as followed:
        span = between(followed.repository, good, bad)
        line = line_of(span)
        said = " ".join([*words, setup or ""])
        found = _suspicions(config, followed, own, span, line, test, said, every, cache)
    with _command(config, words, setup, simulated, cache) as what:
        question = (line.base, span.new, own.digest, *what.identity)
        folder = cache / "bisect" / key(question)
        with open_upstream(config, upstream, cache, [good, bad]) as followed, held(folder / "lock"):
            state = State(folder / "runs.json", question, restart=not resume)
            tree = TreeFolder(folder / "tree", followed.repository)
            trial = Trial(followed, tree, folder / "logs", what)
            result = search(line, found, trial, state, every, _tell)
    click.echo(_json(result) if style == "json" else _text(result))
    return 1


@dataclass(frozen=True, slots=True)
class _Simulated:
    """A lane to simulate, generated; ``distribution`` is its upstream's."""

    distribution: str
    lane: Lane
    made: Generated


def _lane(config: Config, tag: str | None) -> _Simulated:
    inputs = update.inputs_of(config)
    lane = inputs.matrix.lane(tag) if tag is not None else inputs.matrix.baseline_lane
    made = generate(inputs, lane, config.root / config.lanes / lane.tag)
    return _Simulated(inputs.distribution, lane, made)


def _suspicions(
    config: Config,
    upstream: Upstream,
    backend: Backend,
    span: Span,
    line: Line,
    test: Path | None,
    words: str,
    every: bool,
    cache: Path,
) -> list[Suspicion]:
    with opened(config, upstream, backend, cache) as trees:
        files: frozenset[str] | None = None
        if test is not None:
            files, foreign = imported_files(backend, backend.tree(trees.tables), test)
            words = " ".join([words, *foreign])
        analyses, scope = AnalysisCache(cache / "analyses"), Scope(files, words)
        analysis = analyse(trees, span, analyses)
        found = suspicions(trees, line, span.old, span.new, analysis.impacts, scope)
        return healed(trees, line, found, analyses, scope) if every else found


@contextmanager
def _command(
    config: Config, words: tuple[str, ...], setup: str | None, simulated: _Simulated | None, cache: Path
) -> Iterator[Command]:
    if simulated is None:
        here = Path.cwd()
        yield Command((str(here), setup or "", *words), words, setup, os.environ, here)
        return
    # Below the system's temporary folder, for engines put sockets there and a socket's path must be short.
    work = Path(tempfile.mkdtemp(prefix="syncbot-bisect-"))
    try:
        with meter() as progress:
            installer = Installer.of_this_machine(cache)
            workshop = SimulationSetup(config, simulation(config), installer, cache, progress)
            what = simulated_command(workshop, simulated.distribution, simulated.lane, simulated.made, work)
        yield what
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _tell(run: Run) -> None:
    click.echo(f"{run.commit[:10]} {run.verdict:<4} {run.seconds:7.1f} s  {run.said}", err=True)


# Text


def _text(result: Result) -> str:
    lines: list[str] = []
    for answer in result.answers:
        lines += [*_told(answer), ""]
    lines.append("runs")
    lines += [f"  {r.commit[:10]} {r.verdict:<4} {r.seconds:7.1f} s  {r.said}" for r in result.runs]
    fresh = len(result.runs) - result.known
    lines += [
        "",
        f"{len(result.runs)} runs ({fresh} now), {sum(r.seconds for r in result.runs):.0f} s; "
        f"plain halving of {result.count} commits takes {result.halving}",
        f"{result.met} of {result.count} commits change what the backend's contracts rest on",
    ]
    if not result.monotone:
        lines.append("the range is not good first and bad after: --all tells every change that shows")
    return "\n".join(lines)


def _told(answer: Answer) -> list[str]:
    what = "good again from" if answer.mends else "bad from"
    if len(answer.commits) == 1:
        lines = [f"{what}: {_headline(answer.commits[0])}"]
    else:
        lines = [f"{what} one of {len(answer.commits)} commits (all but the last had to be skipped):"]
        lines += [f"  {_headline(commit)}" for commit in answer.commits]
    if answer.merged:
        lines.append(f"  it merges {len(answer.merged)} commits: name its parents to look among them")
    for run, commit in ((answer.before, answer.parent), (answer.after, answer.commits[-1].sha)):
        if run is None:
            lines.append(f"  {commit[:10]} was not run to an end: what it is was taken on trust")
        else:
            lines.append(f"  {commit[:10]} is {run.verdict}: exit code {run.code}, {run.said or 'no output'}")
    for impact in answer.impacts[:_MOST]:
        places = ", ".join(f"{place.file}:{place.line}" for place in impact.locations[:3])
        lines.append(f"  {impact.verdict}: {impact.message} ({places})")
    return lines


def _headline(commit: Commit) -> str:
    return f"{commit.sha[:10]} {commit.date:%Y-%m-%d} {commit.subject}"


# JSON


def _json(result: Result) -> str:
    document = {
        "answers": [
            {
                "mends": answer.mends,
                "commits": [_commit(commit) for commit in answer.commits],
                "merged": [commit.sha for commit in answer.merged],
                "parent": answer.parent,
                "before": asdict(answer.before) if answer.before else None,
                "after": asdict(answer.after) if answer.after else None,
                "impacts": [
                    {
                        "id": impact.id,
                        "verdict": impact.verdict.value,
                        "kind": impact.kind,
                        "symbol": impact.symbol,
                        "message": impact.message,
                        "locations": [asdict(place) for place in impact.locations],
                    }
                    for impact in answer.impacts
                ],
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
    return json.dumps(document, indent=1, ensure_ascii=False)


def _commit(commit: Commit) -> dict[str, object]:
    return {"sha": commit.sha, "pr": commit.pr, "date": commit.date.isoformat(), "subject": commit.subject}
