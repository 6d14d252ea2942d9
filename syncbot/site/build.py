"""All files of a site, from what is known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.resources import files

from markupsafe import Markup

from syncbot.impact.model import Impact
from syncbot.lanes.matrix import Matrix
from syncbot.patching.yaml_documents import to_yaml
from syncbot.report import view
from syncbot.report.formats import html
from syncbot.report.matrix import newest_first
from syncbot.report.model import Report
from syncbot.report.names import title as title_of
from syncbot.report.untrusted_text import one_line, web_address
from syncbot.report.view import SHOWN
from syncbot.site import feed, search, weeks
from syncbot.site.days import Day, is_break
from syncbot.site.findings import all_rewrites, edit, excerpts, finding_url, findings
from syncbot.site.heat_map import HeatMap, heat_map
from syncbot.site.hotspots import by_module, hot_spots
from syncbot.site.model import SearchEntry, SiteContent
from syncbot.site.pages import Pages, file_name, lane_url, upgrade_url
from syncbot.site.patches import LaneDiff, PatchPage

#: What a page has at most, in bytes.
PAGE = 300_000

_DAY = 280_000
_DIFF_LINES, _REWRITE_LINES = 1500, 500
_HITS, _ROWS, _MODULES, _LATEST, _RECENT, _FAILED = 250, 500, 200, 6, 400, 60
_PLACES, _EDITS, _EDIT_LINES = 40, 100, 400
_ASSETS = ("icon.svg", "site.css", "site.js")


def build(known: SiteContent, web_of: Callable[[str], str | None] = lambda name: None) -> dict[str, bytes]:
    """Path → content of every file; ``web_of`` gives the page of an upstream's repository by its name."""
    made = _Maker(known, web_of)
    found = {f"assets/{name}": (files("syncbot.site") / "assets" / name).read_bytes() for name in _ASSETS}
    # GitHub Pages would otherwise run the files through Jekyll.
    found[".nojekyll"] = b""
    if known.days:
        found[feed.PATH] = feed.feed(known.name, known.days, known.words)
    for pages in (
        made.lanes(),
        made.days(),
        made.patches(),
        made.files(),
        made.findings(),
        made.upgrades(),
        made.overviews(),
        made.search(),
    ):
        found.update(pages)
    return dict(sorted(found.items()))


@dataclass(slots=True)
class _Part:
    """A page on a day, or on a part of it where the whole would be too large."""

    reports: tuple[Report, ...]
    url: str = ""
    text: str = ""


class _Maker:
    def __init__(self, known: SiteContent, web_of: Callable[[str], str | None]) -> None:
        self._known, self._words, self._web_of = known, known.words, web_of
        self._pages = Pages(known)
        self._spots = hot_spots(known.days)
        self._urls: dict[tuple[str, str], str] = {}
        self._split = {day.date: self._parts_of(day) for day in known.days}

    def lanes(self) -> Iterator[tuple[str, bytes]]:
        """One page a lane."""
        matrix = self._known.matrix
        if matrix is None:
            return
        ids = {told.patch.id for told in self._known.patches}
        groups = heat_map(matrix, self._known.cases).groups
        for lane in matrix:
            title = self._words("site_lane_title", lane=lane.tag)
            page = self._pages.page(
                lane_url(lane), "lane.html", title, "matrix",
                lane=lane, matrix=matrix, groups=groups, patch_ids=ids,
            )  # fmt: skip
            yield lane_url(lane), page

    def days(self) -> Iterator[tuple[str, bytes]]:
        """One page a day, or several for one that is large."""
        every = self._known.days
        for at, day in enumerate(every):
            parts = self._split[day.date]
            names = [part.url.removeprefix("days/") for part in parts]
            for number, part in enumerate(parts, 1):
                page = self._pages.page(
                    part.url, "day.html", title_of(day.reports, self._words), "activity",
                    newer=every[at - 1] if at else None,
                    older=every[at + 1] if at + 1 < len(every) else None,
                    parts=names, part=number, content=Markup(part.text),
                )  # fmt: skip
                yield part.url, page

    def patches(self) -> Iterator[tuple[str, bytes]]:
        """The list of patches, and one page a patch."""
        every = self._known.patches
        path, title = "patches/index.html", self._words("site_patches_title")
        yield path, self._pages.page(path, "patches.html", title, "patches", patches=every)
        for told in every:
            path = f"patches/{told.patch.id}.html"
            yield path, self._patch(path, told)

    def _patch(self, path: str, told: PatchPage) -> bytes:
        patch, budget = told.patch, _DIFF_LINES
        diffs: list[tuple[LaneDiff, str, int]] = []
        for found in told.diffs:
            text, cut = _cut(found.text, budget)
            budget -= text.count("\n") + 1
            diffs.append((found, text, cut))
        document = [rewrite.model_dump(mode="json") for rewrite in patch.rewrites]
        rewrites, rewrites_cut = _cut(to_yaml({"rewrites": document}) if document else "", _REWRITE_LINES)
        matrix = self._known.matrix
        lanes = [lane for lane in (matrix or ()) if patch.id in lane.patches]
        return self._pages.page(
            path, "patch.html", patch.id, "patches",
            patch=patch, diffs=diffs, rewrites=rewrites, rewrites_cut=rewrites_cut,
            history=told.history, lanes=newest_first(lanes),
            web=web_address(self._web_of(patch.upstream.name)),
        )  # fmt: skip

    def files(self) -> Iterator[tuple[str, bytes]]:
        """The list of hot spots, and one page for each of our files that something met; none without days."""
        if not self._known.days:
            return
        path, title = "files/index.html", self._words("site_hot_title")
        worst = max((len(spot.hits) for spot in self._spots), default=1)
        shown = self._spots[:_ROWS]
        counts = [{verdict: spot.count(verdict) for verdict in SHOWN} for spot in shown]
        shares = [round(100 * len(spot.hits) / worst) for spot in shown]
        modules = by_module(hit for spot in self._spots for hit in spot.hits)
        page = self._pages.page(
            path, "files.html", title, "hot_spots",
            rows=list(zip(shown, counts, shares, strict=True)),
            spots_cut=max(len(self._spots) - _ROWS, 0), verdicts=SHOWN,
            modules=modules[:_MODULES], modules_cut=max(len(modules) - _MODULES, 0),
        )  # fmt: skip
        yield path, page
        for spot in self._spots:
            path = f"files/{file_name(spot.file)}"
            hits = [(hit, finding_url(hit.impact)) for hit in spot.hits]
            page = self._pages.page(
                path, "file.html", spot.file, "hot_spots",
                spot=spot, verdicts=SHOWN, hits=hits[:_HITS], hits_cut=max(len(hits) - _HITS, 0),
                modules=spot.modules[:_MODULES], modules_cut=max(len(spot.modules) - _MODULES, 0),
            )  # fmt: skip
            yield path, page

    def findings(self) -> Iterator[tuple[str, bytes]]:
        """One page for each finding; the edits of older ones are not tried any more: each takes a while."""
        files = defaultdict(str, {spot.file: f"files/{file_name(spot.file)}" for spot in self._spots})
        edits = 0
        for found in findings(self._known.days):
            impact, path, edited = found.impact, finding_url(found.impact), ""
            if impact.fix is not None and edits < _EDITS:
                edits, edited = edits + 1, edit(impact, self._known.sources)
            shown, cut = _cut(edited, _EDIT_LINES)
            rewrites = [
                {"rule": each.rule, "arguments": dict(each.arguments)} for each in all_rewrites(impact)
            ]
            page = self._pages.page(
                path, "finding.html", one_line(impact.symbol), "activity",
                found=found, impact=impact, day_url=self._url_of(found.report, impact), files=files,
                excerpts=excerpts(impact, self._known.sources), most=_PLACES, edit=shown, edit_cut=cut,
                rewrites=_cut(to_yaml({"rewrites": rewrites}), _EDIT_LINES)[0] if rewrites else "",
            )  # fmt: skip
            yield path, page

    def upgrades(self) -> Iterator[tuple[str, bytes]]:
        """One page for each report of an upgrade."""
        for upgrade in self._known.upgrades:
            path = upgrade_url(upgrade)
            yield path, self._pages.page(path, "upgrade.html", upgrade.title, upgrade=upgrade)

    def overviews(self) -> Iterator[tuple[str, bytes]]:
        """The first page, and the one on activity where any day is known."""
        every = weeks.weeks(self._known.days)
        shown = every[-weeks.YEAR :]
        drawn = weeks.charts(shown)
        words, days = self._words, self._known.days
        if days:
            activity = self._pages.page(
                "activity.html", "activity.html", words("site_activity_title"), "activity",
                weeks=every, days=days, total=sum(day.commits for day in days),
                breaking=sum(day.breaking_commits for day in days), drawn=drawn,
            )  # fmt: skip
            yield "activity.html", activity
        matrix = self._known.matrix
        subject = matrix.upstream if matrix is not None else self._known.name
        home = self._pages.page(
            "index.html", "home.html", words("site_home_title", name=subject), "matrix",
            matrix=matrix, upgrades=self._known.upgrades, weeks=every,
            last_breaks=self._last_breaks(), drawn=drawn,
            **(_overview(matrix, heat_map(matrix, self._known.cases)) if matrix is not None else {}),
        )  # fmt: skip
        yield "index.html", home

    def _last_breaks(self) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        for day in self._known.days[:_RECENT]:
            for report in day.reports:
                for culprit in view.culprits(report, filter(is_break, report.impacts)):
                    url = finding_url(culprit.impacts[0])
                    found.append({"day": day.date, "report": report, "culprit": culprit, "url": url})
        return found[:_LATEST]

    def search(self) -> Iterator[tuple[str, bytes]]:
        """The page, and the parts of its index."""
        parts = {f"search/{at}.js": text for at, text in enumerate(search.parts(self._entries()))}
        yield from parts.items()
        kinds = ("patch", "lane", "upgrade", "file", "break", "commit")
        title = self._words("site_search_title")
        page = self._pages.page("search.html", "search.html", title, parts=list(parts), kinds=kinds)
        yield "search.html", page

    def _entries(self) -> Iterator[SearchEntry]:
        """Yield the entries of the search: first the project's, then commits, newest first, each once."""
        for told in self._known.patches:
            patch = told.patch
            yield SearchEntry("patch", patch.id, f"{patch.reason} {patch.symbol}", f"patches/{patch.id}.html")
        for lane in newest_first(self._known.matrix or ()):
            yield SearchEntry("lane", lane.tag, self._known.name, lane_url(lane))
        for upgrade in self._known.upgrades:
            yield SearchEntry("upgrade", upgrade.title, self._known.name, upgrade_url(upgrade))
        for spot in self._spots:
            yield SearchEntry("file", spot.file, self._known.name, f"files/{file_name(spot.file)}")
        for day in self._known.days:
            for report in day.reports:
                guilty = {impact.commit for impact in report.impacts if is_break(impact)}
                for commit in report.commits:
                    kind = "break" if commit.sha in guilty else "commit"
                    beside = f"{commit.author}, {day.date}, {commit.release or commit.sha[:10]}"
                    yield SearchEntry(kind, commit.subject, beside, self._urls[report.upstream, commit.sha])

    def _url_of(self, report: Report, impact: Impact) -> str:
        """Where a day's page tells of an impact: at its commit, else on the page that it is on."""
        return self._urls.get((report.upstream, impact.commit)) or self._urls[report.upstream, impact.id]

    def _parts_of(self, day: Day) -> list[_Part]:
        parts = self._fitting(day.reports)
        for number, part in enumerate(parts, 1):
            part.url = f"days/{day.date}.html" if number == 1 else f"days/{day.date}-{number}.html"
            for report in part.reports:
                for commit in report.commits:
                    self._urls[report.upstream, commit.sha] = f"{part.url}#commit-{commit.sha[:12]}"
                for impact in report.impacts:
                    self._urls.setdefault((report.upstream, impact.id), part.url)
        return parts

    def _fitting(self, reports: tuple[Report, ...]) -> list[_Part]:
        """The reports of a day on as few pages as they fit on, halved as long as they do not."""
        text = html.content(reports, self._words, finding_url)
        halves = _halves(reports) if len(text.encode("utf-8", "replace")) > _DAY else None
        if halves is None:
            return [_Part(reports, text=text)]
        return [part for half in halves for part in self._fitting(half)]


def _overview(matrix: Matrix, heat: HeatMap) -> dict[str, object]:
    """Return the first page's values about the matrix: the heat map, how much passed, and the failures."""
    shows = {lane.tag: heat.shown(matrix, lane) for lane in matrix}
    passed = {tag: found.count("pass") for tag, found in shows.items()}
    possible = {
        tag: len(found) - found.count("unsupported") - found.count(None) for tag, found in shows.items()
    }
    runs = [(column, run) for group in heat.groups for column in group.columns for run in column.runs]
    failed = [
        (lane, column, run)
        for lane in newest_first(matrix)
        for (column, run), shown in zip(runs, shows[lane.tag], strict=True)
        if shown == "fail"
    ]
    return {
        "heat": heat,
        "tallies": {tag: f"{passed[tag]}/{possible[tag]}" for tag in shows},
        "passed": sum(passed.values()),
        "judged": sum(found.count("pass") + found.count("fail") for found in shows.values()),
        "stale": sum(found.count("stale") for found in shows.values()),
        "unknown": sum(found.count("unknown") for found in shows.values()),
        "runners": list(dict.fromkeys(run.runner for _, run in runs if run.runner)),
        "failed": failed[:_FAILED],
        "failed_cut": max(len(failed) - _FAILED, 0),
    }


def _halves(reports: tuple[Report, ...]) -> tuple[tuple[Report, ...], tuple[Report, ...]] | None:
    """Two halves, by upstreams, else by commits, else by impacts; None for what cannot be halved."""
    if len(reports) > 1:
        middle = len(reports) // 2
        return reports[:middle], reports[middle:]
    [report] = reports
    if len(report.commits) > 1:
        middle = len(report.commits) // 2
        later = {commit.sha for commit in report.commits[middle:]}
        of_first = tuple(impact for impact in report.impacts if impact.commit not in later)
        of_second = tuple(impact for impact in report.impacts if impact.commit in later)
        return (
            (replace(report, commits=report.commits[:middle], impacts=of_first),),
            (replace(report, commits=report.commits[middle:], impacts=of_second, unanalysed=()),),
        )
    if len(report.impacts) > 1:
        middle = len(report.impacts) // 2
        return (
            (replace(report, impacts=report.impacts[:middle]),),
            (replace(report, impacts=report.impacts[middle:], unanalysed=()),),
        )
    return None


def _cut(text: str, limit: int) -> tuple[str, int]:
    lines = text.rstrip("\n").split("\n")
    limit = max(limit, 0)
    return "\n".join(lines[:limit]), max(len(lines) - limit, 0)
