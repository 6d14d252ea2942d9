from __future__ import annotations

import pytest

from syncbot.patching.rewrites.string_renamed import StringRenamed

from .cases import both_ways


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (
            "x = 1\ny = 'up.old'\n",
            "x = 1\ny = 'up.other'\n",
            "forward gives another text:\n--- wanted\n+++ forward\n",
        ),
        (
            "y = 'up.old'\nz = 'up.new'\n",
            "y = 'up.new'\nz = 'up.new'\n",
            "backward gives another text:\n--- wanted\n",
        ),
    ],
)
def test_a_round_trip_that_fails_shows_the_difference(before: str, after: str, says: str) -> None:
    with pytest.raises(pytest.fail.Exception) as caught:
        both_ways(StringRenamed(old="up.old", new="up.new"), before, after)
    assert str(caught.value).startswith(says)
    assert "\n-" in str(caught.value)
    assert "\n+" in str(caught.value)


def test_a_round_trip_that_holds_says_nothing() -> None:
    both_ways(StringRenamed(old="up.old", new="up.new"), "y = 'up.old'\n", "y = 'up.new'\n")
