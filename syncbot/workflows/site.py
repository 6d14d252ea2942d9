"""A static site of what is known: matrix, upstream's days, patches, and which files break most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.lanes.update import sources_of
from syncbot.report.from_json import parse
from syncbot.report.model import Report
from syncbot.site import written_files
from syncbot.site.build import build
from syncbot.site.catalogue import words
from syncbot.site.days import days
from syncbot.site.model import SiteContent
from syncbot.site.patches import PatchPage, patch_pages
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.moments import zone
from syncbot.workflows.check import CheckOptions, check
from syncbot.workflows.project import configured, matrix_of, patches_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteOptions:
    """What the site in the folder ``output`` is made of.

    ``reports`` are JSON reports, or folders of them. ``since`` and ``until`` are moments: the commits between
    them are analysed too, of ``upstreams`` or else of the default one. ``lang`` is the site's language.
    """

    output: Path
    backend: Path = Path()
    reports: tuple[Path, ...] = ()
    since: str | None = None
    until: str | None = None
    upstreams: tuple[str, ...] = ()
    lang: str = "en"


@dataclass(frozen=True, slots=True)
class MadeSite:
    """The first page, and how many pages and days there are."""

    index: Path
    pages: int
    days: int


def make_site(options: SiteOptions, meter: Meter = no_meter) -> MadeSite:
    """Write the site, in place of what an earlier run wrote there.

    Raises UsageError for a folder that holds other files, for reports that do not exist and for a wrong
    range; ConfigurationError; EnvironmentFailure where an upstream cannot be read or nothing be written.
    """
    config = configured(options.backend)
    language = words(options.lang)
    written_files.check(options.output)
    if options.since is None and options.until is not None:
        raise UsageError("--until ends a range and nothing begins it: give --since too")
    if options.since is None and options.upstreams:
        raise UsageError("--upstream says what to analyse: give the first moment too, with --since")
    reports = list(_read(options.reports, config))
    if options.since is not None:
        asked = CheckOptions(
            backend=options.backend, since=options.since, until=options.until,
            upstreams=options.upstreams, engines=("contracts",),
        )  # fmt: skip
        # Last, since later reports are newer ones.
        reports += check(asked, meter)
    known = SiteContent(
        name=config.project.distribution or config.backend_path.resolve().name,
        words=language,
        matrix=matrix_of(config),
        days=days(reports),
        patches=_patches(config),
    )
    files = build(known, lambda name: config.upstreams[name].web if name in config.upstreams else None)
    written_files.put(options.output, files)
    pages = sum(name.endswith(".html") for name in files)
    return MadeSite(options.output / "index.html", pages, len(known.days))


def _read(places: Sequence[Path], config: Config) -> Iterator[Report]:
    """The reports in files and folders, in the order of their names."""
    where = zone(config.timezone)
    for place in places:
        if not place.exists():
            raise UsageError(
                f"{place} does not exist: name reports that 'syncbot check --format json --output' wrote"
            )
        files = sorted(place.rglob("*.json")) if place.is_dir() else [place]
        for file in files:
            yield from parse(file.read_bytes(), str(file), where)


def _patches(config: Config) -> tuple[PatchPage, ...]:
    patches, matrix = patches_of(config), matrix_of(config)
    if not patches or matrix is None:
        return tuple(PatchPage(patch, (), None) for patch in patches)
    return patch_pages(config.root, config.patches, patches, matrix, sources_of(config))
