from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.publish.size_limits import size, split

FOLD = "<details><summary>All</summary>\n\n"
HEAD = "| a | b |\n| --- | --- |\n"


def test_what_fits_stays_whole() -> None:
    assert split("# x\n\ny\n", 7) == ["# x\n\ny\n"]


def test_cuts_are_before_headings() -> None:
    text = "# One\n\na\n\n## Two\n\nbb\n\n## Three\n\ncc\n"
    assert split(text, 32) == ["# One\n\na\n\n## Two\n\nbb\n", "## Three\n\ncc\n"]


def test_a_section_that_is_too_long_is_cut_between_paragraphs() -> None:
    paragraphs = [f"{n} one\n{n} two\n" for n in range(9)]
    parts = split("# One\n\n" + "\n".join(paragraphs), 60)
    assert all(re.fullmatch(r"(# One\n\n)?(\d one\n\d two\n\n?)+", part) for part in parts)
    assert "".join(parts).count("two") == 9


def test_a_table_is_opened_again() -> None:
    rows = [f"| {n} | x |\n" for n in range(20)]
    parts = split(f"text\n\n{HEAD}{''.join(rows)}\nend\n", 100)
    assert len(parts) > 2
    assert all(part.startswith(HEAD) for part in parts[1:])
    assert parts[0] == "text\n"
    assert re.findall(r"\| \d+ \| x \|\n", "".join(parts)) == rows


def test_a_folded_table_is_closed_and_opened_again() -> None:
    rows = "".join(f"| {n} | x |\n" for n in range(60))
    parts = split(f"text\n\n{FOLD}{HEAD}{rows}\n</details>\n\nend\n", 300)
    assert len(parts) > 2
    for part in parts[1:]:
        assert part.count("<details>") == part.count("</details>") == 1
        assert part.index(FOLD) < part.index(HEAD) < part.index("</details>")
    assert parts[-1].endswith("</details>\n\nend\n")


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_code_is_closed_and_opened_again(fence: str) -> None:
    code = "".join(f"# line {n}\n" for n in range(30))
    parts = split(f"{fence}py\n{code}{fence}\n\n# Heading\n", 110)
    assert all(part.startswith(f"{fence}py\n") for part in parts[:-1])
    assert all(part.splitlines()[-1].startswith(fence[:3]) for part in parts[:-1])
    assert "".join(parts).count("# line") == 30
    assert parts[-1].endswith("# Heading\n")


def test_a_heading_within_code_is_none() -> None:
    code = "```\n" + "a\n" * 8 + "# no heading\n```\n"
    text = f"{code}\n{'b' * 20}\n"
    assert split(text, 50) == [code, "b" * 20 + "\n"]


def test_a_line_without_end_is_cut() -> None:
    parts = split("x" * 1000, 100)
    assert all(size(part) <= 100 for part in parts)
    assert "".join(parts).replace("\n", "") == "x" * 1000


def test_characters_outside_the_basic_plane_count_twice() -> None:
    assert size("a字😀") == 4
    assert [size(part) <= 40 for part in split("😀" * 90, 40)].count(False) == 0


BLOCKS = st.one_of(
    st.integers(1, 6).map(lambda n: "#" * n + " heading"),
    st.text("ab \n#|😀", max_size=300),
    st.integers(1, 40).map(lambda n: HEAD + "| x | cell |\n" * n),
    st.integers(1, 40).map(lambda n: "```\n" + "code | x\n" * n + "```"),
    st.integers(1, 40).map(lambda n: FOLD + HEAD + "| x | cell |\n" * n + "\n</details>"),
)


@given(st.lists(BLOCKS, max_size=12).map("\n\n".join), st.integers(200, 900))
def test_every_part_fits_and_no_word_is_lost(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert all(size(part) <= limit for part in parts)
    for word in ("code", "😀", "cell"):
        assert "".join(parts).count(word) == text.count(word)
