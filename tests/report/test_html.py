from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from bs4 import BeautifulSoup
from hypothesis import given

from syncbot.report.formats import render
from syncbot.report.model import Report

from .conftest import ROUTING, WEB, day, impact
from .test_json import REPORTS

VOID = {"meta", "br", "wbr"}


class Balanced(HTMLParser):
    """Fails on a tag that is closed out of order or never."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(report: Report, language: str = "en") -> BeautifulSoup:
    text = render(report, "html", language)
    parser = Balanced()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    return BeautifulSoup(text, "html.parser")


def test_what_breaks_us_and_all_commits(report: Report) -> None:
    soup = page(report)
    assert (
        soup.find("p", class_="headline").get_text()
        == "1 of 33 commits breaks 5 lines of the backend. 1 file was not analysed."
    )
    commit, line = soup.find("h3"), soup.find(class_="finding")
    assert commit.find("a")["href"] == f"{WEB}/commit/{ROUTING}"
    assert line.find("h4").get_text() == "src/ascend/moe.py:41"
    # Both breaks are on that line.
    assert [p.find("strong").get_text() for p in line.find_all("p", class_="mend")] == ["Fix:", "Fix:"]
    assert line.find(class_="quiet").get_text() == "Also at src/ascend/moe.py:90, 95, 99, 120"
    assert "At risk: depends on what analysis cannot settle (1)" in [
        s.get_text() for s in soup.find_all("summary")
    ]
    subjects = [time.find_next("a").get_text().partition(" ")[2] for time in soup.find_all("time")]
    assert sorted(subjects) == sorted(c.subject for c in report.commits)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_needs_nothing_else(report: Report, language: str) -> None:
    soup = page(report, language)
    assert soup.find("html")["lang"] == language
    assert not soup.find_all(["script", "link", "img", "iframe", "object", "form"])
    assert not soup.find_all(src=True)
    style = soup.find("style").get_text()
    assert "url(" not in style
    assert "@import" not in style


def test_a_strangers_words_stay_words() -> None:
    words = "</title><script>alert(1)</script>\" onclick='x' &amp; <b>"
    report = day((impact(message=words),))
    bad = replace(report.commits[0], subject=words, author=words)
    soup = page(replace(report, commits=(bad, *report.commits[1:]), upstream=words))
    assert not soup.find_all(["script", "b"])
    assert not soup.find_all(onclick=True)
    assert words in [told.get_text() for told in soup.find_all(class_="why")]
    assert words in [cell.get_text() for cell in soup.find_all("td")]


def test_only_web_addresses_are_linked(report: Report) -> None:
    assert not page(replace(report, web="javascript:alert(1)//")).find_all("a")


@given(REPORTS)
def test_any_report_is_a_page(report: Report) -> None:
    soup = page(report)
    assert len(soup.find_all("h1")) == 1
    assert len(soup.find_all("time")) == len(report.commits)
