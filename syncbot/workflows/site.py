"""A static site of what is known: matrix, upstream's days, patches, and which files break most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.lanes.update import sources_of
from syncbot.report.from_json import parse
from syncbot.report.links import kinds_page
from syncbot.report.model import Report
from syncbot.site import written_files
from syncbot.site.build import build
from syncbot.site.catalogue import words
from syncbot.site.days import Day, days
from syncbot.site.heat_map import Cases
from syncbot.site.model import SiteContent
from syncbot.site.patches import PatchPage, patch_pages
from syncbot.site.upgrades import upgrade_pages
from syncbot.upstream.model import Meter
from syncbot.upstream.moments import zone
from syncbot.workflows.check import check
from syncbot.workflows.check_options import CheckOptions
from syncbot.workflows.project import configured, matrix_of, patches_of


@dataclass(frozen=True, slots=True)
class Written:
    """Files, or folders of files, that checks wrote: JSON reports, and the Markdown of upgrades."""

    reports: tuple[Path, ...] = ()
    upgrades: tuple[Path, ...] = ()


def make_site(
    output: Path, lang: str, written: Written, analysed: CheckOptions, meter: Meter
) -> tuple[Path, int, int]:
    """Write a site in place of what an earlier run wrote there; return its first page and how many pages and
    days it has.

    What ``analysed`` asks for is checked too, if it has a
    first moment. Raises UsageError for a folder that holds other files, for reports that do not exist and for
    a wrong range; ConfigurationError; EnvironmentFailure where an upstream cannot be read or nothing written.
    """
    config = configured(analysed.backend)
    language = words(lang)
    written_files.check(output)
    if analysed.since is None and analysed.until is not None:
        raise UsageError("--until ends a range and nothing begins it: give --since too")
    if analysed.since is None and analysed.upstreams:
        raise UsageError("--upstream says what to analyse: give the first moment too, with --since")
    page = kinds_page(config)
    known_reports = [replace(report, kinds_page=page) for report in _read(written.reports, config)]
    if analysed.since is not None:
        # Last, since later reports are newer ones.
        known_reports += check(analysed, meter)
    matrix, patches = matrix_of(config), patches_of(config)
    pages = tuple(PatchPage(patch, (), None) for patch in patches)
    if patches and matrix is not None:
        pages = patch_pages(config.root, config.patches, patches, matrix, sources_of(config))
    found = days(known_reports)
    known = SiteContent(
        name=config.project.distribution or config.backend_path.resolve().name,
        words=language,
        matrix=matrix.only_claimed() if matrix is not None else None,
        cases=_cases(config),
        days=found,
        patches=pages,
        upgrades=upgrade_pages(_upgrades(written.upgrades)),
        sources=_named(config, found),
    )
    files = build(known, lambda name: config.upstreams[name].web if name in config.upstreams else None)
    written_files.put(output, files)
    count = sum(name.endswith(".html") for name in files)
    return output / "index.html", count, len(known.days)


def _cases(config: Config) -> Cases:
    return Cases(config.simulate.cases, config.simulate.groups) if config.simulate is not None else Cases()


def _named(config: Config, found: Iterable[Day]) -> dict[str, str]:
    """Our files that impacts name, as they are now. Reports are anybody's: nothing outside is read."""
    names = {p.file for day in found for report in day.reports for i in report.impacts for p in i.locations}
    root, texts = config.backend_path.resolve(), {}
    for name in sorted(names):
        with suppress(OSError, ValueError):
            file = (root / name).resolve()
            small = file.is_file() and file.stat().st_size <= config.limits.file_bytes
            if file.is_relative_to(root) and file.suffix == ".py" and small:
                texts[name] = file.read_text(encoding="utf-8")
    return texts


def _read(places: Sequence[Path], config: Config) -> Iterator[Report]:
    """The reports in files and folders, in the order of their names."""
    where = zone(config.timezone)
    for file in _files(places, "json"):
        yield from parse(file.read_bytes(), str(file), where)


def _upgrades(places: Sequence[Path]) -> dict[str, str]:
    """The Markdown reports in files and folders, in the order of their names."""
    return {str(file): file.read_text(encoding="utf-8", errors="replace") for file in _files(places, "md")}


def _files(places: Sequence[Path], suffix: str) -> Iterator[Path]:
    for place in places:
        if not place.exists():
            raise UsageError(f"{place} does not exist: name reports that 'syncbot check --output' wrote")
        yield from sorted(place.rglob(f"*.{suffix}")) if place.is_dir() else [place]
