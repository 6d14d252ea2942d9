from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import cmarkgfm
from bs4 import BeautifulSoup, Tag
from cmarkgfm.cmark import Options
from hypothesis import given

from syncbot.impact.model import Verdict
from syncbot.report.formats import render
from syncbot.report.model import Report

from .conftest import ROUTING, WEB, day, impact
from .test_json import REPORTS


def page(report: Report, language: str = "en") -> BeautifulSoup:
    """The report as GitHub's own renderer shows it."""
    html = cmarkgfm.github_flavored_markdown_to_html(
        render(report, "markdown", language), options=Options.CMARK_OPT_UNSAFE
    )
    return BeautifulSoup(html, "html.parser")


def rows(table: Tag) -> list[list[str]]:
    return [[cell.get_text() for cell in row.find_all("td")] for row in table.find_all("tr")[1:]]


def test_what_breaks_us_comes_before_everything_else(report: Report) -> None:
    soup = page(report)
    assert [h.get_text() for h in soup.find_all(["h1", "h2"])] == [
        "Daily report (2026-01-23)",
        "What breaks us",
        "vllm-project/vllm",
        "🔴 Changes of high importance (4)",
        "🟡 Changes of medium importance (15)",
        "🟢 Changes of low importance (14)",
        "not analysed (1)",
    ]
    breaks, commits = soup.find_all("table")
    subject = "[MoE Refactor] Move `select_experts` from `FusedMoEQuantMethod` -> `FusedMoE` (#31996)"
    assert rows(breaks) == [
        [
            "src/ascend/moe.py:41, 90, 95, 99, 120",
            "FusedMoEMethodBase.apply() no longer takes router, which this override requires",
            f"dc917cceb8 {subject}",
            "rewrite override_parameter_removed",
        ],
        [
            "src/ascend/moe.py:41",
            "FusedMoERouter | `capture` of @\u200brouter is gone",
            f"dc917cceb8 {subject}",
            "needs an author",
        ],
    ]
    assert {a["href"] for a in breaks.find_all("a")} == {f"{WEB}/commit/{ROUTING}"}
    assert rows(commits)[0] == [
        "2026-01-23 23:59:04",
        "Mark McLoughlin",
        "[ROCm][PD] Remove unused moriio connector proxy code (#32939)",
    ]
    assert [row[2] for row in rows(commits)] == [c.subject for c in report.commits]


def test_in_chinese(report: Report) -> None:
    soup = page(report, "zh")
    assert soup.find("h1").get_text().startswith("每日更新报告")
    assert soup.find("blockquote").get_text().strip() == (
        "共 33 个提交 | 🔴高 4 | 🟡中 15 | 🟢低 14 | 破坏 2 | 有风险 1 | 漂移 1"
    )
    assert [th.get_text() for th in soup.find_all("table")[1].find_all("th")] == [
        "提交时间",
        "作者",
        "提交信息",
    ]


def test_every_link_of_the_contents_leads_to_one_place(report: Report) -> None:
    soup = page(report)
    targets = [a["href"][1:] for a in soup.find_all("a", href=re.compile("^#"))]
    names = Counter(a["name"] for a in soup.find_all("a", attrs={"name": True}))
    # One for each section: what nobody has to care for has a line, and the table leads to upstream's page.
    assert len(targets) == 19 + 3
    assert [names[target] for target in targets] == [1] * len(targets)
    heading = soup.find("a", attrs={"name": f"commit-{ROUTING[:12]}"}).parent
    assert heading.name == "h3"
    assert "select_experts" in heading.get_text()


def test_importance_and_what_it_means_for_us_stand_apart(report: Report) -> None:
    text = render(report, "markdown")
    section = text.split('<a name="commit-3a63be0faa8e"></a>')[1].split("###")[0]
    assert text.index("Changes of medium importance (15)\n") < text.index(section)
    assert "**🔧 Importance for us**: 🟡 medium (1 at risk)" in section
    assert "code 2 +40 \u221219" in section


def test_the_message_is_shortened_and_signatures_are_left_out(quiet: Report) -> None:
    body = (
        "<!-- template -->\n\n## Purpose\n\n"
        + "Replace the router by a smaller one. " * 40
        + "\n\nSigned-off-by: A <a@b.c>"
    )
    first = replace(quiet.commits[0], level="high", body=body)
    text = render(replace(quiet, commits=(first,)), "markdown")
    summary = re.search(r"\*\*📋 Summary\*\*: (.*)", text)
    assert summary is not None
    assert summary[1].strip().endswith(" …”")
    assert text.count("In the author's words: “Replace the router by a smaller one.”") == 1
    assert len(summary[1]) < 420
    assert "Signed-off" not in text
    assert "template" not in text


def test_a_strangers_words_neither_format_nor_notify() -> None:
    markup = "</td></table><img src=x> **bold** _it_ [x](http://evil) | `co`de` &lt; $x$"
    words = f"{markup} @octocat #17 GH-18 a@b.org http://e.vil www.e.vil"
    report = day((impact(message=words),))
    first = replace(
        report.commits[0], subject=words, author=words, body=words, level="high", deleted=(words,)
    )
    for web in (WEB, None):
        changed = replace(report, commits=(first, *report.commits[1:]), web=web)
        soup = page(changed)
        assert not soup.find_all(["img", "em"])
        assert {a["href"] for a in soup.find_all("a", href=True) if not a["href"].startswith("#")} <= {
            WEB,
            *(f"{WEB}/commit/{c.sha}" for c in changed.commits),
        }
        commits = soup.find_all("table")[1]
        assert rows(commits)[0][2].replace("\u200b", "") == words
        for linked in soup.find_all(["a", "code"]):
            linked.extract()
        plain = soup.get_text()
        assert "@\u200boctocat" in plain
        assert not re.search(r"@octocat|(?<!\w)#\d|GH-\d|p://|www\.", plain)


def test_without_a_web_page_nothing_is_linked(report: Report) -> None:
    soup = page(replace(report, web=None))
    assert all(a["href"].startswith("#") for a in soup.find_all("a", href=True))
    assert soup.find_all("h2")[1].get_text() == "vllm"


def test_a_long_table_is_folded(quiet: Report) -> None:
    many = tuple(replace(c, sha=f"{n:038x}{m:02x}") for n in range(2) for m, c in enumerate(quiet.commits))
    soup = page(replace(quiet, commits=many))
    assert soup.find("summary").get_text() == "All commits: 66 commits"
    assert len(rows(soup.find("table"))) == 66


def test_an_empty_range_is_short_and_true(quiet: Report) -> None:
    text = render(replace(quiet, commits=(), unanalysed=()), "markdown")
    assert text.splitlines()[:3] == ["# Report", "", "**No commits between ff365eea94 and 1cb4341fbc.**"]
    assert len(text.splitlines()) == 9


@given(REPORTS)
def test_any_report_keeps_its_shape(report: Report) -> None:
    soup = page(report)
    breaks = [i for i in report.impacts if i.verdict is Verdict.BREAKS and not i.tests_only]
    expected = bool(breaks) + bool(report.commits)
    assert len(soup.find_all("table")) == expected
    if breaks:
        assert [len(row) for row in rows(soup.find("table"))] == [4] * len(breaks)
    assert not soup.find_all(["script", "img", "del", "h4"])
    assert all(block.find_parent("details") for block in soup.find_all("pre"))
