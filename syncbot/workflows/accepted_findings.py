"""Which findings of a check somebody accepts, or knew before; and the files that say so."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from syncbot.accepting.acceptance import Acceptance, Rules, acceptance
from syncbot.accepting.comments import ignore_comments
from syncbot.accepting.entries import accepted_findings
from syncbot.accepting.known import KnownFindings, findings_of, known_findings, write
from syncbot.accepting.told import keep, told
from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.impact.model import Impact
from syncbot.impact.trees import Trees
from syncbot.report.model import Report
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import Span
from syncbot.upstream.moments import zone


def accepted(
    config: Config, trees: Trees, span: Span, impacts: Sequence[Impact], known: KnownFindings | None
) -> Acceptance:
    """Return which impacts stay, after what comments, configuration and the file of findings accept, and what
    was ``known``. Raises ConfigurationError."""
    files = trees.backend.files
    listed = accepted_findings(config.root / config.accepted)
    rules = Rules(tuple(ignore_comments(files)), config.ignore, listed, config.accepted, known)

    def relies() -> set[tuple[str, int]]:
        contracts = trees.contracts(trees.universe(trees.tree(span.old)))
        places = [contract.place.location for contract in contracts]
        places += [place for impact in impacts for place in impact.locations]
        return {(place.file, place.line) for place in places}

    today = datetime.now(zone(config.timezone)).date()
    return acceptance(impacts, rules, today, [file.path for file in files], relies)


def known_in(
    config: Config, chosen: Path | None, upstream: str, commits: frozenset[str]
) -> KnownFindings | None:
    """Return what the chosen file, else the configured one, has of an upstream; None without either.
    ``commits`` are those of which a check tells all. Raises UsageError where the file is not there, and
    ConfigurationError."""
    if chosen is None and config.baseline is None:
        return None
    file = chosen or config.root / (config.baseline or "")
    try:
        found = known_findings(file)
    except FileNotFoundError:
        raise UsageError(f"{file} is not there: syncbot check --write-baseline {file} writes it") from None
    name = str(chosen or config.baseline)
    return KnownFindings(name, [each for each in found if each.upstream == upstream], commits)


def keep_told(config: Config, engines: Sequence[str], reports: Iterable[Report]) -> None:
    """Keep what reports tell, for who accepts one of their findings."""
    for report in reports:
        found = report.acceptance
        accepted_too = (each.impact for each in found.accepted) if found is not None else ()
        name = f"{report.upstream} {report.old_name}..{report.new_name}"
        question = "\0".join((name, *engines))
        this = told(name, (*report.impacts, *accepted_too), datetime.now().timestamp())
        keep(cache_dir(), config.root, question, this)


def write_known(config: Config, file: Path, reports: Sequence[Report]) -> str:
    """Write what reports tell to a file of known findings; what it has of other upstreams stays. Return what
    was written, in words, and how checks use it. Raises ConfigurationError, and EnvironmentFailure."""
    upstreams = {report.upstream for report in reports}
    try:
        others = [each for each in known_findings(file) if each.upstream not in upstreams]
    except FileNotFoundError:
        others = []
    new = [finding for report in reports for finding in findings_of(report.upstream, report.impacts)]
    write(file, [*others, *new])
    count = len({(each.upstream, each.id) for each in new})
    said = f"{count} known finding{'s' * (count != 1)} written to {file}"
    if config.baseline is not None and (config.root / config.baseline).resolve() == file.resolve():
        return said
    return f'{said}; to tell new ones apart: baseline = "{_below(config.root, file)}" in the configuration'


def _below(root: Path, file: Path) -> str:
    return Path(os.path.relpath(file.absolute(), root.absolute())).as_posix()
