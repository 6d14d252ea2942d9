"""The site as files: what is on the pages, that links lead somewhere, and that nothing is fetched."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from dataclasses import replace
from datetime import timedelta
from functools import cache
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup, Tag

from syncbot.impact.model import Location
from syncbot.report.catalogue import languages
from syncbot.site.build import PAGE, build
from syncbot.site.catalogue import words
from syncbot.site.model import SiteContent
from tests.report.conftest import IMPACTS, ROUTING, day, impact

from .conftest import FIRST, known, month, moved
from .project import EVIL, HOOK

Files = dict[str, bytes]

# Attributes through which a page makes a browser fetch something.
FETCHED = ("src", "srcset", "data", "poster", "background", "action", "formaction", "manifest", "ping")


@cache
def parsed(text: bytes) -> BeautifulSoup:
    return BeautifulSoup(text, "html.parser")


def html(pages: Files) -> dict[str, BeautifulSoup]:
    return {path: parsed(text) for path, text in pages.items() if path.endswith(".html")}


def one(soup: BeautifulSoup, choice: str) -> Tag:
    [found] = soup.select(choice)
    return found


def test_the_pages(pages: Files) -> None:
    kinds = {path.partition("/")[0] for path in pages}
    assert kinds == {
        *(".nojekyll", "activity.html", "assets", "days", "feed.xml", "files", "findings", "index.html"),
        *("lanes", "patches"),
        *("search", "search.html", "upgrades"),
    }
    assert sum(path.startswith("days/") for path in pages) == 21
    assert "lanes/v0.33.0.html" in pages
    assert f"patches/{HOOK}.html" in pages


def test_every_cell_of_the_heat_map_says_its_states_and_leads_to_its_evidence(pages: Files) -> None:
    soup = parsed(pages["index.html"])
    assert [caption.get_text() for caption in soup.select(".heat caption")] == ["checks", "models"]
    assert [head.get_text() for head in soup.select(".heat thead th")] == ["Lane", "static", "Lane", "qwen3"]
    cells = soup.select(".heat td a")
    assert {"pass", "fail", "stale", "unsupported", "unknown"} == {
        part["class"][0] for part in soup.select(".heat i")
    }
    assert [cell["title"] for cell in cells[4:]] == [
        "qwen3 on v0.33.0: v1 passed, v2 passed",
        "qwen3 on v0.32.0: v1 passed, v2 passed",
        "qwen3 on v0.31.0: v1 passed, v2 unsupported",
        "qwen3 on v0.30.0: v1 failed, v2 stale",
    ]
    for cell in cells:
        path, _, anchor = str(cell["href"]).partition("#")
        runs = one(parsed(pages[path]), f'[id="{anchor}"]').select(".run")
        assert [one(run, ".state")["class"][1] for run in runs] == [
            part["class"][0] for part in cell.select("i")
        ]
        for run in runs:
            state = one(run, ".state")
            assert state.get_text(strip=True) == words("en")(f"site_{state['class'][1]}")
            assert one(state, "use")["href"] == f"#i-{state['class'][1]}"
            if state["class"][1] in ("unknown", "unsupported"):
                assert "There is no evidence" in run.get_text()
            else:
                assert len(run.select("code")) == (3 if state["class"][1] == "stale" else 2)
                assert run.select("time")
    assert (
        one(soup, ".lead").get_text()
        == "8 of the 9 checks that ran on the sources as they are now passed, on 4 lanes."
        " Not counted: 1 that ran on older sources, 1 that nobody ran."
    )
    assert [row.get_text(" ", strip=True) for row in soup.select(".proof li")] == ["failed v0.30.0 qwen3 v1"]


def test_a_day_has_what_its_report_has(pages: Files) -> None:
    soup = parsed(pages["days/2026-01-23.html"])
    assert one(soup, "h1").get_text() == "Daily report (2026-01-23)"
    assert (
        one(soup, ".headline").get_text()
        == "1 of 33 commits breaks 5 lines of the backend. 1 file was not analysed."
    )
    assert soup.find(id=f"commit-{ROUTING[:12]}") is not None
    assert len(soup.select("details.commit")) == 33
    assert one(soup, "a[rel=prev]")["href"] == "2026-01-20.html"
    assert not soup.select("a[rel=next]")


def test_a_patch_has_its_reason_its_diffs_and_its_history(pages: Files) -> None:
    soup = parsed(pages[f"patches/{HOOK}.html"])
    assert one(soup, ".lead").get_text() == "The worker makes its runner in a method of its own."
    assert [head.get_text() for head in soup.select("h3")] == ["Undone for v0.31.0, v0.30.0"]
    diff = one(soup, ".diff")
    assert "+++ b/src/plugin/worker.py" in diff.get_text()
    assert [line.get_text() for line in diff.select(".removed")] == ["-        self._make_runner()"]
    assert [line.get_text() for line in diff.select(".added")] == [
        "+        self.runner = self._build_runner()"
    ]
    assert one(soup, 'a[href$="/pull/32"]').get_text() == "#32"
    assert [line.get_text(" ", strip=True).replace("\u00d7", "x") for line in soup.select(".proof li")] == [
        "v0.31.0 passed x 2",
        "v0.30.0 failed x 1 stale x 1",
    ]
    assert "aaaaaaaaaa" in soup.get_text()


def test_hot_spots_are_ranked_and_told(pages: Files) -> None:
    soup = parsed(pages["files/index.html"])
    files, modules = soup.select("table")
    rows = [[cell.get_text(strip=True) for cell in row.select("th, td")] for row in files.select("tbody tr")]
    assert rows == [
        ["src/ascend/moe.py", "28", "0", "14", "2026-01-23"],
        ["src/ascend/worker.py", "0", "14", "0", "never"],
    ]
    assert modules.select("tbody th")[0].get_text() == "vllm.model_executor.layers.fused_moe"
    page = parsed(pages[posixpath.join("files", str(files.select("tbody a")[0]["href"]))])
    first = page.select(".news li")[0]
    assert first.a is not None
    assert str(first.a["href"]).startswith("../findings/")
    finding = parsed(pages[str(first.a["href"]).removeprefix("../")])
    assert f"../days/2026-01-23.html#commit-{ROUTING[:12]}" in {a["href"] for a in finding.select("a")}


def test_activity_by_week(pages: Files) -> None:
    soup = parsed(pages["activity.html"])
    rows = [[c.get_text(strip=True) for c in row.select("th, td.number")] for row in soup.select("tbody tr")]
    assert rows == [
        ["2026-01-19part week", "99", rows[0][2], "2"],
        ["2026-01-12", "231", rows[1][2], "5"],
        ["2026-01-05", "231", rows[2][2], "5"],
        ["2025-12-29part week", "132", rows[3][2], "2"],
    ]
    kinds = [row.select("td.kinds")[0].get_text() for row in soup.select("tbody tr")]
    assert kinds == [f"symbol-removed {n}, parameter-removed {n}" for n in (2, 5, 5, 2)]
    assert [len(figure.select(".plot rect")) for figure in soup.select("figure")] == [4, 8]
    assert all(figure.svg is not None and figure.svg["aria-label"] for figure in soup.select("figure"))


def test_links_lead_somewhere_wherever_the_site_lies(pages: Files) -> None:
    ids = {path: {tag["id"] for tag in soup.select("[id]")} for path, soup in html(pages).items()}
    seen = 0
    for path, soup in html(pages).items():
        for tag in soup.select("[href], [src], form"):
            target = str(tag.get("href") or tag.get("src") or tag.get("action"))
            if urlsplit(target).scheme:
                assert tag.name == "a", target
                continue
            assert not target.startswith("/"), target
            inner, _, anchor = target.partition("#")
            inner = (
                unquote(posixpath.normpath(posixpath.join(posixpath.dirname(path), inner))) if inner else path
            )
            assert inner in pages, f"{path}: {target}"
            if anchor and inner.endswith(".html"):
                assert unquote(anchor) in ids[inner], f"{path}: {target}"
            seen += 1
    assert seen > 500


def test_no_page_refers_to_another_host_for_a_resource(pages: Files) -> None:
    for path, soup in html(pages).items():
        policy = one(soup, 'meta[http-equiv="Content-Security-Policy"]')["content"]
        assert str(policy).startswith("default-src 'none'; "), path
        assert "http" not in str(policy)
        assert "unsafe" not in str(policy)
        for tag in soup.find_all(True):
            assert tag.name not in ("iframe", "object", "embed", "base", "style"), path
            assert not [name for name in tag.attrs if name.startswith("on") or name == "style"], path
            fetched = (*FETCHED, "href") if tag.name in ("link", "use", "image") else FETCHED
            addresses = [urlsplit(str(tag.get(name, ""))) for name in fetched]
            assert {address.scheme or address.netloc for address in addresses} == {""}, f"{path}: {tag}"
        assert all(not script.get_text() for script in soup.select("script")), path
    for path in ("assets/site.css", "assets/site.js"):
        text = pages[path].decode()
        assert not re.search(r"url\(|@import|https?:|//\w|fetch\(|XMLHttpRequest|import\(|eval\(", text), path


def test_a_strangers_words_stay_words(pages: Files) -> None:
    assert all(not soup.select("img, b") for soup in html(pages).values())
    shown = [path for path, soup in html(pages).items() if "alert(1)" in soup.get_text()]
    assert {path.partition("/")[0] for path in shown} == {"days", "lanes", "patches", "upgrades"}
    [part] = [text for path, text in pages.items() if path.startswith("search/")]
    assert part.isascii()
    entries = json.loads(part.decode().removeprefix("syncbotIndex(").rstrip(";\n").removesuffix(")"))
    assert any(EVIL[:20] in title for _, title, _, _ in entries)
    assert all(one(soup, "head > title").get_text().endswith("plugin") for soup in html(pages).values())


@pytest.mark.parametrize(
    ("of_commits", "of_patches"), [("javascript:alert(1)//", "data:text/html,x"), (None, None)]
)
def test_only_web_addresses_are_linked(of_commits: str | None, of_patches: str | None) -> None:
    bad = [replace(report, web=of_commits) for report in month()[-1:]]
    made = build(known(bad), lambda name: of_patches)
    for soup in html(made).values():
        assert not [a for a in soup.select("a[href]") if urlsplit(str(a["href"])).scheme]


def test_the_same_input_gives_the_same_bytes(pages: Files) -> None:
    again = build(known(month()), lambda name: "https://github.com/vllm-project/vllm")
    assert list(again) == list(pages)
    assert {path: hashlib.sha256(text).hexdigest() for path, text in again.items()} == {
        path: hashlib.sha256(text).hexdigest() for path, text in pages.items()
    }


@pytest.mark.parametrize("language", languages())
def test_every_language_gives_the_same_pages(pages: Files, language: str) -> None:
    made = build(known(month(), language), lambda name: "https://github.com/vllm-project/vllm")
    assert made.keys() == pages.keys()
    assert {str(one(soup, "html")["lang"]) for soup in html(made).values()} == {language}


def test_nothing_known_yet() -> None:
    made = build(SiteContent("plugin", words("en")))
    texts = {path: one(soup, "main").get_text() for path, soup in html(made).items()}
    assert "There is no matrix yet" in texts["index.html"]
    assert "There are no patches here" in texts["patches/index.html"]
    # What nothing is known of is neither empty nor led to.
    assert set(texts) == {"index.html", "patches/index.html", "search.html"}
    assert "Activity" not in texts["index.html"]
    links = {str(a["href"]) for a in parsed(made["index.html"]).select("header a")}
    assert links == {"index.html", "patches/index.html"}


@pytest.mark.long
def test_a_year_of_forty_commits_a_day_stays_small() -> None:
    """Sizes of all pages; every day breaks something, in ever other files and by ever other modules."""
    real = day()
    forty = [
        replace(commit, sha=f"{commit.sha[:8]}{at:04x}{commit.sha[12:]}")
        for at, commit in enumerate((real.commits + real.commits)[:40])
    ]
    reports = []
    for at in range(365):
        place, symbol = Location(f"src/part{at % 300}.py", 3), f"vllm.part{at}.Thing.run"
        own = [replace(i, commit=forty[0].sha, symbol=symbol, locations=(place,)) for i in IMPACTS]
        today = replace(real, commits=tuple(forty), impacts=tuple(own))
        reports.append(moved(today, FIRST + timedelta(at), f"{at}"))
    found = known(reports)
    assert (len(found.days), sum(day.commits for day in found.days)) == (365, 365 * 40)
    made = build(found)
    assert {path: len(text) for path, text in made.items() if len(text) > PAGE} == {}
    assert sum(path.startswith("search/") for path in made) > 5


@pytest.mark.long
def test_a_day_that_is_too_large_for_a_page_has_several() -> None:
    real = day()
    # Nowhere a line may be broken: each such place is a tag to parse.
    long = "vllm.a" + "ratherlongmodulename" * 120
    many = tuple(
        impact(
            id=f"i{n}",
            message=f"{long}{n}",
            locations=(Location(f"src/f{n}.py", 1),),
            commit=real.commits[n % 33].sha,
        )
        for n in range(400)
    )
    made = build(SiteContent("plugin", words("en"), days=known([replace(real, impacts=many)]).days))
    parts = sorted(path for path in made if path.startswith("days/"))
    assert len(parts) > 2
    assert max(len(text) for text in made.values()) <= PAGE
    shown = [commit["id"] for path in parts for commit in parsed(made[path]).select("details.commit")]
    assert sorted(shown) == sorted(f"commit-{commit.sha[:12]}" for commit in real.commits)
    told = sum(parsed(made[path]).get_text().count(long) for path in parts)
    assert told == len(many)
    links = {str(a["href"]) for a in parsed(made[parts[0]]).select("nav.parts a")}
    assert links == {path.removeprefix("days/") for path in parts}
