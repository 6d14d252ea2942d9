"""The page of a finding: upstream's hunk, our lines, the proposed edit; and the feed of days that break us."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup

from syncbot.impact.model import Fix, Impact, Location, Verdict
from syncbot.site.build import build
from syncbot.site.catalogue import words
from syncbot.site.days import days
from syncbot.site.feed import feed
from syncbot.site.findings import edit, excerpts, finding_url, findings
from syncbot.site.model import SiteContent

from .conftest import known, month
from .project import EVIL, FILES
from .test_days import commit, impact, report

WORKER = "src/plugin/worker.py"
SOURCES = {WORKER: FILES[WORKER].decode()}
ARGUMENTS = {"file": WORKER, "before": "self.sizes = [1]\n", "after": "self.sizes = [2]\n"}
ATOM = "{http://www.w3.org/2005/Atom}"


def hit(line: int = 8, **given: object) -> Impact:
    values: dict[str, object] = {
        "locations": (Location(WORKER, line),),
        "fix": Fix("replace_statement", ARGUMENTS),
    }
    return impact(1, **values | given)


def page(found: Impact) -> BeautifulSoup:
    content = SiteContent("plugin", words("en"), days=days([report([commit(1)], (found,))]), sources=SOURCES)
    return BeautifulSoup(build(content)[finding_url(found)], "html.parser")


def test_a_page_shows_upstreams_hunk_our_line_and_the_edit() -> None:
    soup = page(hit(upstream_hunk="--- up.mod\n+++ up.mod\n@@ -1 +1 @@\n-def run(a):\n+def run(a, b):"))
    hunk, proposed = soup.select(".diff")
    assert [line.get_text() for line in hunk.select(".removed, .added")] == [
        "-def run(a):",
        "+def run(a, b):",
    ]
    [line] = soup.select(".excerpt .hit")
    assert line.get_text().split() == ["→", "8", "self.sizes", "=", "[1]"]
    assert [line.get_text().strip() for line in proposed.select(".removed, .added")] == [
        "-        self.sizes = [1]",
        "+        self.sizes = [2]",
    ]
    assert "rule: replace_statement" in soup.get_text()


def test_what_no_longer_fits_or_is_elsewhere_is_not_shown() -> None:
    text = page(hit(99, fix=Fix("replace_statement", {**ARGUMENTS, "before": "gone()\n"}))).get_text()
    assert ("does not fit the files as they are now" in text, "As the files are now" in text) == (True, False)
    assert excerpts(hit(8), {}) == ()
    assert excerpts(hit(0), SOURCES) == ()


@pytest.mark.parametrize("fix", [None, Fix("no_such_rule", {}), Fix("replace_statement", {"file": 1})])
def test_there_is_no_edit_of_what_is_no_rewrite(fix: Fix | None) -> None:
    assert edit(hit(fix=fix), SOURCES) == ""


def test_each_id_is_told_once_on_its_newest_day() -> None:
    harmless = impact(2, Verdict.NONE, id="n")
    found = findings(days([report([commit(1), commit(2, 3)], (impact(1), impact(2, id="i1"), harmless))]))
    assert [(each.impact.id, each.day.day) for each in found] == [("i1", 22)]


@pytest.mark.parametrize("name", ["../../x", "a" * 300, "\udce9", "", "a.b"])
def test_any_id_has_a_page_of_its_own(name: str) -> None:
    folder, file = finding_url(impact(1, id=name)).split("/")
    assert (folder, file.removesuffix(".html").isalnum(), len(file)) == ("findings", True, 21)


def test_the_feed_is_atom_with_the_moments_of_commits() -> None:
    found = days(month())
    root = ElementTree.fromstring(feed("plugin", found, words("en")))
    required = {f"{ATOM}{name}" for name in ("title", "id", "updated")}
    entries = root.findall(f"{ATOM}entry")
    assert len(entries) == sum(bool(day.breaks) for day in found)
    for each in (root, *entries):
        assert required <= {child.tag for child in each}
        assert UUID(each.findtext(f"{ATOM}id", "").removeprefix("urn:uuid:")).version == 5
        assert datetime.fromisoformat(each.findtext(f"{ATOM}updated", "")).tzinfo is not None
    assert root.findtext(f"{ATOM}author/{ATOM}name") == "plugin"
    assert len({each.findtext(f"{ATOM}id") for each in entries}) == len(entries)
    newest = found[0].reports[0].commits
    assert root.findtext(f"{ATOM}updated") == max(each.date for each in newest).isoformat()
    pages = build(known(month()))
    links = {link.get("href", "") for link in root.iter(f"{ATOM}link")}
    links |= {link.get("href", "") for link in root.iter("{http://www.w3.org/1999/xhtml}a")}
    assert links <= set(pages)


def test_a_quiet_day_is_not_in_the_feed_and_without_days_there_is_none() -> None:
    assert b"<entry>" not in feed("plugin", days([report([commit(1)])]), words("en"))
    assert "feed.xml" not in build(SiteContent("plugin", words("en")))


def test_a_strangers_words_stay_words_in_the_feed() -> None:
    bad = replace(impact(1), message=f"{EVIL}\x00\x1b\ud800")
    text = feed(EVIL, days([report([commit(1)], (bad,))]), words("zh"))
    root = ElementTree.fromstring(text)
    assert root.findall(".//{*}script") == root.findall(".//{*}img") == []
    assert "alert(1)" in "".join(root.itertext())
