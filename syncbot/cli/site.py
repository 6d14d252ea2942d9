"""``syncbot site``: what is known, as a static site."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from syncbot.cli.check import Asked, configured, matrix_of, patches_of, period, report_on
from syncbot.cli.progress import meter
from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.impact.session import backend_of
from syncbot.lanes.update import sources_of
from syncbot.report.from_json import parse
from syncbot.report.model import Report
from syncbot.site import written_files as place
from syncbot.site.build import build
from syncbot.site.catalogue import languages, words
from syncbot.site.days import days
from syncbot.site.model import Known
from syncbot.site.patches import Told, told
from syncbot.upstream.moments import zone


@click.command(short_help="Make a static site of the matrix, days, patches and breaks.")
@click.option(
    "--output", required=True, type=click.Path(path_type=Path),
    help="Folder of the site, such as build/site. What a former run made there is replaced.",
)  # fmt: skip
@click.option(
    "--reports", "folders", multiple=True, metavar="DIR",
    type=click.Path(path_type=Path),
    help="JSON reports of earlier checks, such as reports; a file or a folder of *.json. Repeatable.",
)  # fmt: skip
@click.option("--since", metavar="WHEN", help="Also analyse the commits from then on, such as '1 year ago'.")
@click.option("--until", metavar="WHEN", help="And no later ones, such as yesterday.")
@click.option(
    "--upstream", "upstreams", multiple=True, metavar="NAME|URL|PATH",
    help="What to analyse instead of the default upstream, such as ../vllm. Repeatable.",
)  # fmt: skip
@click.option(
    "--lang", default="en", show_default=True, metavar=f"[{'|'.join(languages())}]",
    help="Language of the site, such as zh.",
)  # fmt: skip
@click.option(
    "--backend", type=click.Path(path_type=Path), default=Path(), show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)  # fmt: skip
def command(
    output: Path,
    folders: tuple[Path, ...],
    since: str | None,
    until: str | None,
    upstreams: tuple[str, ...],
    lang: str,
    backend: Path,
) -> None:
    """Make a static site: the matrix, upstream's days, patches, and which of our files break most.

    It needs no server and asks no other host for anything; docs/site.md says how to publish it. Days come
    from reports that 'syncbot check --format json' wrote, from an analysis of a range, or from both.

    Example: syncbot site --reports reports --output build/site
    """
    config = configured(backend)
    language = words(lang)
    place.check(output)
    if until is not None and since is None:
        raise UsageError("--until ends a range that --since begins: give both")
    read = list(_read(folders, config))
    if since is not None:
        asked = Asked(period(config, since, until, None, None), None, None, ("contracts",))
        own = backend_of(config)
        with meter() as progress:
            # Last, since later reports are newer ones.
            read += [report_on(config, own, name, asked, progress) for name in upstreams or (None,)]
    elif upstreams:
        raise UsageError("--upstream says what to analyse: say from when on with --since")
    matrix = matrix_of(config)
    known = Known(
        name=config.project.distribution or config.backend_path.resolve().name,
        words=language,
        matrix=matrix,
        days=days(read),
        patches=_patches(config),
    )
    files = build(known, lambda name: config.upstreams[name].web if name in config.upstreams else None)
    place.put(output, files)
    pages = sum(name.endswith(".html") for name in files)
    click.echo(f"{output / 'index.html'}: {pages} pages, {len(known.days)} days")


def _read(folders: Sequence[Path], config: Config) -> Iterator[Report]:
    """The reports in files and folders, in the order of their names."""
    where = zone(config.timezone)
    for folder in folders:
        if not folder.exists():
            raise UsageError(
                f"{folder} does not exist: --reports takes what 'syncbot check --format json' wrote"
            )
        files = sorted(folder.rglob("*.json")) if folder.is_dir() else [folder]
        for file in files:
            yield from parse(file.read_bytes(), str(file), where)


def _patches(config: Config) -> tuple[Told, ...]:
    patches, matrix = patches_of(config), matrix_of(config)
    if not patches or matrix is None:
        return tuple(Told(patch, (), None) for patch in patches)
    return told(config.root, config.patches, patches, matrix, sources_of(config))
