from __future__ import annotations

import pytest

from syncbot.explain.signature_differences import difference

LONG = "first, second: dict[str, tuple[int, int]] = {'a': (1, 2)}, third=None"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (f"({LONG})", f"({LONG}, rank=0)", "+ rank=0"),
        (f"({LONG}, rank=0)", f"({LONG}, rank=1)", "- rank=0, + rank=1"),
        (f"({LONG}, rank=0)", f"({LONG}, *, rank=0)", "+ *"),
        (f"({LONG}) -> int", f"({LONG}) -> str", "- -> int, + -> str"),
        (f"(a, /, {LONG}, *args, **more)", f"(a, {LONG}, *args)", "- /, - **more"),
    ],
)
def test_what_came_went_and_changed(old: str, new: str, told: str) -> None:
    assert difference(old, new) == told


@pytest.mark.parametrize(
    ("old", "new"), [("(a)", "(b)"), ("not known", f"({LONG})"), (f"({LONG})", "no signature")]
)
def test_the_signature_itself_where_a_difference_is_not_shorter(old: str, new: str) -> None:
    assert difference(old, new) == new
