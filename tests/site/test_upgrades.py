"""Reports of upgrades on the site: what ``check --format upgrade`` wrote, as a page; a stranger's words as text."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from syncbot.errors import UsageError
from syncbot.site.build import build
from syncbot.site.catalogue import words
from syncbot.site.model import SiteContent
from syncbot.site.upgrades import MOST, upgrade_pages

MARK = "<!-- syncbot covers vllm v0.25.1 v0.26.0 -->\n"
REPORT = f"""# vllm 0.25.1 to 0.26.0

**0.26.0 breaks 1 line.**

## Breaking (1)

- `ours.py:6`: f() no longer takes x — [0.26.0](https://example.org/c). Fix: a<b, \\_kept\\_

<details><summary>2 of 3 `names`: same</summary>

- `a.b`

</details>

{MARK}"""


def shown(text: str) -> BeautifulSoup:
    site = build(SiteContent("plugin", words("en"), upgrades=upgrade_pages({"upgrade.md": text})))
    [page] = [content for path, content in site.items() if path.startswith("upgrades/")]
    assert b'href="upgrades/vllm-v0.25.1-v0.26.0.html"' in site["index.html"]
    return BeautifulSoup(page, "html.parser")


def test_a_report_is_a_page_with_its_list_its_links_and_its_fold() -> None:
    page = shown(REPORT)
    assert page.select_one("h1").get_text() == "vllm 0.25.1 to 0.26.0"
    item = page.select_one(".report > ul > li")
    assert item.get_text() == "ours.py:6: f() no longer takes x — 0.26.0. Fix: a<b, _kept_"
    assert item.select_one("a")["href"] == "https://example.org/c"
    fold = page.select_one("details")
    assert fold.select_one("summary").get_text() == "2 of 3 names: same"
    assert fold.select_one("li code").get_text() == "a.b"
    assert "syncbot covers" not in page.select_one("main").decode()


@pytest.mark.parametrize(
    "words_of_others",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "![x](https://example.org/x.png)",
        "</details></main>",
    ],
)
def test_words_of_others_stay_text(words_of_others: str) -> None:
    page = shown(REPORT.replace("Fix:", words_of_others))
    main = page.select_one("main")
    assert not main.select("script, img")
    assert not main.select('a[href^="javascript"]')
    assert main.select_one("details li") is not None


def test_an_open_fold_is_closed_and_a_long_report_is_cut() -> None:
    long = REPORT + "\n<details><summary>more</summary>\n" + "- an item\n" * (MOST // 5)
    page = shown(long)
    assert len(page.select("details")) == 2
    assert "more lines are not shown" in page.select_one("main > p.quiet").get_text()
    assert len(page.decode().encode()) < 300_000


@pytest.mark.parametrize("text", ["", "# a heading\n", MARK])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"notes\.md is no report of an upgrade"):
        upgrade_pages({"notes.md": text})


def test_the_last_report_on_one_upgrade_is_taken() -> None:
    pages = upgrade_pages({"a.md": REPORT, "b.md": REPORT.replace("1 line", "2 lines")})
    assert ["2 lines" in page.content for page in pages] == [True]
