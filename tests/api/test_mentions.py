"""Which of some blobs have a text in them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from syncbot.api.mentions import Mentions

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
        named = [(f"name {place}", blob) for place, blob in enumerate(blobs)]
        expected = [name for name, blob in named if any(text.encode() in BLOBS[blob] for text in texts)]
        assert list(mentions.among(named, texts, BLOBS.__getitem__)) == expected


def test_nothing_is_read_twice_for_a_text() -> None:
    mentions, asked = Mentions(), []

    def read(blob: str) -> bytes:
        asked.append(blob)
        return BLOBS[blob]

    named = [(blob, blob) for blob in BLOBS]
    assert list(mentions.among(named, ["run("], read)) == ["1", "2"]
    assert list(mentions.among(named[::-1], ["run("], read)) == ["2", "1"]
    assert asked == ["1", "2", "3", "4"]
    assert list(mentions.among(named, ["walk", "run("], read)) == ["1", "2", "4"]
    assert asked[4:] == ["1", "2", "3", "4"]
