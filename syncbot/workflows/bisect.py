"""Find the upstream commit at which a command begins to fail, in few runs."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from syncbot.bisect.commit_line import Line, line_of
from syncbot.bisect.imported_files import imported_files
from syncbot.bisect.session import Result, search
from syncbot.bisect.simulated_trial import simulated_command
from syncbot.bisect.state import Run, State, key
from syncbot.bisect.suspects import Scope, Suspicion, healed, suspicions
from syncbot.bisect.trial import Command, Trial
from syncbot.config import Config
from syncbot.contracts.source_files import read_backend
from syncbot.contracts.sources import Backend
from syncbot.errors import UsageError
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.session import opened
from syncbot.lanes import update
from syncbot.lanes.generate import Generated, generate
from syncbot.lanes.matrix import Lane
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.checkout import TreeFolder
from syncbot.upstream.commit_range import Span, between
from syncbot.upstream.following import By, followed_source
from syncbot.upstream.opening import Upstream, open_source
from syncbot.upstream.process_lock import held
from syncbot.upstream.release_choice import Between
from syncbot.verify.configured_checks import simulation
from syncbot.verify.installer import Installer
from syncbot.verify.lane_environment import SimulationSetup
from syncbot.workflows.lane_checks import Meters, no_meters
from syncbot.workflows.project import configured

_Simulated = tuple[str, Lane, Generated]


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectOptions:
    """A good commit, a bad one after it, and what is run at commits between them. That is either ``words``, a
    command, with the shell line ``setup`` before each run and the file ``test`` that fails; or, with
    ``simulate``, the simulated check of ``lane`` (a tag, else the baseline's). With ``every`` the search goes
    on after the first bad commit. ``resume`` keeps the runs of the same search."""

    good: str
    bad: str
    words: tuple[str, ...] = ()
    every: bool = False
    test: Path | None = None
    setup: str | None = None
    simulate: bool = False
    lane: str | None = None
    resume: bool = True
    upstream: str | None = None
    by: By | None = None
    backend: Path = Path()


def find_bad_commits(
    options: BisectOptions,
    tell: Callable[[Line, Run], None] = lambda line, run: None,
    meters: Meters = no_meters,
) -> Result:
    """Return the commits at which the command begins to fail, with the runs that prove it. ``tell`` is given
    each run as soon as it has ended, with the line that it is on. Raises UsageError for options that
    contradict each other, unknown references and ends that are not good and bad; ConfigurationError, and
    EnvironmentFailure."""
    _refuse_contradictions(options)
    config, cache = configured(options.backend), cache_dir()
    simulated = _simulated(config, options.lane) if options.simulate else None
    folder = simulated[2].folder if simulated is not None else config.backend_path
    own = read_backend(folder, config.sources, config.tests, config.limits.values)
    source = followed_source(config, options.upstream, cache, options.by)
    ends = Between(options.good, options.bad)
    with meters() as progress, open_source(config, source, ends, cache, progress) as followed:
        span = between(followed.repository, options.good, options.bad)
        releases = followed.repository.tagged_commits() if followed.kind == "release" else {}
        line = line_of(span, releases)
        found = _suspicions(config, followed, own, span, line, options)
    with _command(config, options, simulated, meters) as what:
        question = (line.base, span.new, own.digest, *what.identity)
        folder = cache / "bisect" / key(question)
        with open_source(config, source, ends, cache) as followed, held(folder / "lock"):
            state = State(folder / "runs.json", question, restart=not options.resume)
            tree = TreeFolder(folder / "tree", followed.repository)
            trial = Trial(followed, tree, folder / "logs", what)
            return search(line, found, trial, state, options.every, partial(tell, line))


def _refuse_contradictions(options: BisectOptions) -> None:
    if bool(options.words) == options.simulate:
        raise UsageError("give either a command after -- or --simulate")
    if options.simulate and (options.setup or options.test):
        raise UsageError("--setup and --test belong to a command: leave them out with --simulate")
    if options.lane is not None and not options.simulate:
        raise UsageError("--lane says what to simulate: add --simulate")


def _simulated(config: Config, tag: str | None) -> _Simulated:
    """The upstream's distribution, a lane of it, and the lane's sources."""
    inputs = update.inputs_of(config)
    lane = inputs.matrix.lane(tag) if tag is not None else inputs.matrix.baseline_lane
    made = generate(inputs, lane, config.root / config.lanes / lane.tag)
    return inputs.distribution, lane, made


def _suspicions(
    config: Config, upstream: Upstream, backend: Backend, span: Span, line: Line, options: BisectOptions
) -> list[Suspicion]:
    words = " ".join([*options.words, options.setup or ""])
    with opened(config, upstream, backend, cache_dir()) as trees:
        files: frozenset[str] | None = None
        if options.test is not None:
            files, foreign = imported_files(backend, backend.tree(trees.tables), options.test)
            words = " ".join([words, *foreign])
        analyses, scope = AnalysisCache(cache_dir() / "analyses"), Scope(files, words)
        analysis = analyse(trees, span, analyses)
        found = suspicions(trees, line, span.old, span.new, analysis.impacts, scope)
        return healed(trees, line, found, analyses, scope) if options.every else found


@contextmanager
def _command(
    config: Config, options: BisectOptions, simulated: _Simulated | None, meters: Meters
) -> Iterator[Command]:
    if simulated is None:
        here, setup = Path.cwd(), options.setup
        yield Command((str(here), setup or "", *options.words), options.words, setup, os.environ, here)
        return
    # Below the system's temporary folder, for engines put sockets there and a socket's path must be short.
    work = Path(tempfile.mkdtemp(prefix="syncbot-bisect-"))
    try:
        with meters() as progress:
            settings = simulation(config)
            installer = Installer.of_this_machine(cache_dir(), settings.inherit)
            lane_setup = SimulationSetup(config, settings, installer, cache_dir(), progress)
            command = simulated_command(lane_setup, *simulated, work)
        yield command
    finally:
        shutil.rmtree(work, ignore_errors=True)
