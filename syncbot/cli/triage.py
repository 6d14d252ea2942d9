"""``syncbot triage``: from the logs of failed runs to the guilty upstream commits."""

from __future__ import annotations

import re
from pathlib import Path

import click

from syncbot.atomic import write_file
from syncbot.cli.progress import meter
from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.session import backend_of, opened
from syncbot.lanes import matrix as matrices
from syncbot.patching import model as patches
from syncbot.triage.diagnosis import Triage
from syncbot.triage.folded_failures import Reading, causes
from syncbot.triage.formats import formats, render
from syncbot.triage.guilty_commits import AnalysedRange, diagnosed, environmental
from syncbot.triage.read_logs import read
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.catalog import open_upstream
from syncbot.upstream.commit_range import between
from syncbot.upstream.model import Meter
from syncbot.workflows.project import configured


@click.command(short_help="Name the upstream commits that are guilty of failures in logs.")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@click.option(
    "--from",
    "old",
    metavar="REF",
    help="The last version that worked: a tag, sha or version, such as 0.32.0.",
)
@click.option("--to", "new", metavar="REF", help="The version that failed, such as latest.")
@click.option("--upstream", metavar="NAME|URL|PATH", help="Another upstream, such as ../vllm.")
@click.option(
    "--backend",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)
@click.option(
    "--format", "style", type=click.Choice(formats()), default="text", show_default=True,
    help="How the result is written, such as --format json.",
)  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path), help="Write the result there, such as triage.md.")
def command(
    logs: tuple[str, ...],
    old: str | None,
    new: str | None,
    upstream: str | None,
    backend: Path,
    style: str,
    output: Path | None,
) -> int:
    """Read logs of failed runs; name the upstream commits that are guilty of each failure, with the reason.

    LOG is the output of pytest or of a server, plain, .gz or .zip; - is standard input. Without --from:
    from the matrix's baseline, and where there is none, no commits are looked for.

    Example: syncbot triage server.log --from 0.31.0 --to 0.32.0
    """
    config = configured(backend)
    reading = read(logs)
    start = old or _baseline(config)
    if start is None and new is not None:
        raise UsageError("--to alone is no range: name the last version that worked with --from")
    if start is None or not causes(reading):
        found = Triage(reading, tuple(environmental(failure) for failure in causes(reading)))
    else:
        with meter() as progress:
            found = _traced(config, reading, upstream, start, new, progress)
    text = render(found, style)
    if output is not None:
        write_file(output, text.encode("utf-8", "replace"))
    else:
        click.echo(text, nl=False)
    return int(bool(reading.failures or reading.unexplained))


def _traced(
    config: Config, reading: Reading, upstream: str | None, old: str, new: str | None, progress: Meter
) -> Triage:
    versions = [old, *([new] if new else [])]
    with open_upstream(config, upstream, cache_dir(), versions, progress) as followed:
        span = between(followed.repository, old, new or followed.head)
        with opened(config, followed, backend_of(config), cache_dir()) as trees:
            analysis = analyse(trees, span, AnalysisCache(cache_dir() / "analyses"))
            case = AnalysedRange(trees, analysis, patches.load(config.root / config.patches))
            diagnoses = tuple(diagnosed(case, failure) for failure in causes(reading))
        ends = (_shown(old), _shown(new or span.new))
        return Triage(reading, diagnoses, followed.name, *ends, len(span.commits), followed.web)


def _shown(ref: str) -> str:
    """A reference as a reader knows it, a full sha cut short."""
    return ref[:10] if re.fullmatch("[0-9a-f]{40,64}", ref) else ref


def _baseline(config: Config) -> str | None:
    file = config.root / config.matrix
    return str(matrices.load(file).baseline) if file.exists() else None
