"""Which of some blobs have a text in them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from syncbot.api.blobs_with_text import Mentions

BLOBS = {"1": b"def run(x): ...", "2": b"run(1)", "3": b"", "4": b"# walk"}


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(sorted(BLOBS)), max_size=5),
            st.lists(st.sampled_from(["run(", "def run", "walk", "é", ""]), max_size=3),
        )
    )
)
def test_the_answer_is_that_of_the_text(questions: list[tuple[list[str], list[str]]]) -> None:
    mentions = Mentions()
    for blobs, texts in questions:
        expected = [any(text.encode() in BLOBS[blob] for text in texts) for blob in blobs]
        assert list(mentions.among(mentions.numbers(blobs), texts, BLOBS.__getitem__)) == expected


def test_nothing_is_read_twice_for_a_text() -> None:
    mentions, asked = Mentions(), []

    def read(blob: str) -> bytes:
        asked.append(blob)
        return BLOBS[blob]

    numbers = mentions.numbers(BLOBS)
    assert list(mentions.among(numbers, ["run("], read)) == [True, True, False, False]
    assert list(mentions.among(numbers[::-1], ["run("], read)) == [False, False, True, True]
    assert asked == ["1", "2", "3", "4"]
    assert list(mentions.among(numbers, ["walk", "run("], read)) == [True, True, False, True]
    assert asked[4:] == ["1", "2", "3", "4"]
