"""Text from strangers is made visible, inert and literal."""

from __future__ import annotations

import io
import json
import sys
import unicodedata

import cmarkgfm
import pytest
from bs4 import BeautifulSoup
from cmarkgfm.cmark import Options
from rich.text import Text

from syncbot.report.guarded_output import guarded
from syncbot.report.inert_console import console
from syncbot.report.untrusted_text import inert, json_text, one_line, prose, visible

# Signs of the category of formats that are seen: marks of numbers and of hieroglyphs.
_SEEN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}


def test_nothing_that_cannot_be_seen_is_left() -> None:
    hidden = [
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp") and code not in _SEEN
    ]
    assert [c for c in hidden if c in one_line(f"a{c}b")] == []
    assert [c for c in hidden if c in visible(f"a{c}b")] == ["\t", "\n"]


def test_what_is_seen_stays() -> None:
    words = "naïve 漢字 עברית ⚠️ 👩‍💻 👍🏽 e\u0301\t|`<a>`"
    assert visible(words) == words
    assert one_line(" a \n\n b\r\n") == "a b"
    assert visible("a\x1b[1m\udce9\u202e") == "a\\x1b[1m\\xe9\\u202e"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", "\\::error::x"),
        ("a\n \t::set-output name=x::y", "a\n \t\\::set-output name=x::y"),
        ("a\r::stop-commands::x", "a\\x0d::stop-commands::x"),
        ("see ##[add-path]/x", "see #\\#[add-path]/x"),
        ("##vso[task.setvariable]x", "#\\#vso[task.setvariable]x"),
        ("a::b x[::2] ## [a](b)\n::1", "a::b x[::2] ## [a](b)\n::1"),
    ],
)
def test_commands_of_a_workflow(text: str, shown: str) -> None:
    assert inert(text) == shown


def test_json_is_read_by_everybody() -> None:
    told = json_text({"a": ["\ud800", "##[error]", "\x7f\u2028😀", float("nan"), 1.5], "\udce9": ()})
    assert told.isascii()
    assert "##[" not in told
    assert "\\ud800" not in told.replace("\\\\", "")
    assert json.loads(told) == {"a": ["\\ud800", "##[error]", "\x7f\u2028😀", None, 1.5], "\\xe9": []}


def test_streams_are_guarded_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    with guarded():
        print("a\x1b]0;x\x07é")
        assert not hasattr(sys.stdout, "buffer")
    assert sys.stdout is out
    out.flush()
    assert out.buffer.getvalue() == b"a\\x1b]0;x\\x07?\n"  # type: ignore[attr-defined]


def test_a_console_styles_our_words_alone() -> None:
    out = io.StringIO()
    shown = console(out)
    shown.print(Text("a\x1b]8;;http://x\x1b\\ \u202e", "bold"), Text("::error::x"))
    assert out.getvalue() == "a\\x1b]8;;http://x\\x1b\\ \\u202e \\::error::x\n"


@pytest.mark.parametrize(
    "text",
    ["- [ ] a", "1. a", "2) a", "+ a", "* a", "> a", "# a", "===", "---", "&#64;octocat", "</details>", "<!-- a", "``` a",
     "[a]: http://x", "[^1]", "![a](b)", "<http://x.y>", "_a_", "||a||", "$a$", "-1.5 a", "1.5 a", "a@b.co"],
)  # fmt: skip
def test_prose_is_one_plain_paragraph(text: str) -> None:
    html = cmarkgfm.github_flavored_markdown_to_html(prose(text), options=Options.CMARK_OPT_UNSAFE)
    page = BeautifulSoup(html, "html.parser")
    assert [tag.name for tag in page.find_all(True)] == ["p"]
    assert page.get_text().strip().replace("\u200b", "") == text


@pytest.mark.parametrize("text", ["@octocat", "org/repo#12", "fixes #1", "GH-7", "https://x.y", "www.x.y"])
def test_github_links_nothing_in_prose(text: str) -> None:
    assert "&#8203;" in prose(text)
