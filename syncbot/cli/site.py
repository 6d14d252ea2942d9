"""``syncbot site``: what is known, as a static site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.cli.shared_output import say
from syncbot.site.catalogue import languages


@click.command(short_help="Make a static site of the matrix, days, patches and breaks.")
@click.option(
    "--output", required=True, type=click.Path(path_type=Path),
    help="Folder of the site, such as build/site. An earlier site there is replaced.",
)  # fmt: skip
@click.option(
    "--reports", multiple=True, metavar="DIR", type=click.Path(path_type=Path),
    help="JSON reports of earlier checks, such as reports; a file or a folder of *.json. Repeatable.",
)  # fmt: skip
@click.option(
    "--upgrades", multiple=True, metavar="DIR", type=click.Path(path_type=Path),
    help="Reports of upgrades, such as upgrade.md; a file or a folder of *.md. Repeatable.",
)  # fmt: skip
@click.option(
    "--since", metavar="WHEN", help="Also analyse the commits from this moment on, such as '1 year ago'."
)
@click.option("--until", metavar="WHEN", help="Analyse no later commits than this, such as yesterday.")
@options.upstreams
@options.language(languages())
@options.backend
def command(
    output: Path, lang: str, reports: tuple[Path, ...], upgrades: tuple[Path, ...], **asked: Any
) -> None:
    """Make a static site: the matrix, upstream's days, patches, and which of our files break most.

    The pages need no server and load nothing from other hosts; docs/site.md says how to publish them. The
    days come from reports that 'syncbot check --format json' wrote, from an analysis of a range, or both.

    Example: syncbot site --reports reports --output build/site
    """
    from syncbot.workflows.check_options import CheckOptions
    from syncbot.workflows.site import Written, make_site

    analysed = CheckOptions(**asked, engines=("contracts",))
    with meter() as progress:
        index, pages, days = make_site(output, lang, Written(reports, upgrades), analysed, progress)
    say(f"{index}: {pages} pages, {days} days")
