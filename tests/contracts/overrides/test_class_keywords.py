"""Arguments that class statements pass to ``__init_subclass__``."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

PLAIN = "class B: ...\n"
HOOK = "class B:\n    def __init_subclass__(cls, {}): ...\n"
NAMED, OTHER, MAYBE, ANY = (HOOK.format(p) for p in ("*, name", "*, size", "name=None", "**more"))
USE = "from lib.a import B\nclass M(B{}): ...\n"
OF = "lib.a.B.__init_subclass__ breaks 2 name"


@pytest.mark.parametrize(
    ("old", "new", "given", "told"),
    [
        (PLAIN, NAMED, "", [f"parameter-added {OF}"]),
        (MAYBE, NAMED, "", [f"parameter-required {OF}"]),
        (NAMED, PLAIN, ", name=1", [f"parameter-removed {OF}"]),
        (ANY, OTHER.replace("size", "size=1"), ", name=1", [f"parameter-removed {OF}"]),
    ],
)
def test_keywords_that_do_not_fit_any_more(old: str, new: str, given: str, told: list[str]) -> None:
    assert compare(old, new, USE.format(given)) == told


@pytest.mark.parametrize(
    ("old", "new", "given"),
    [
        pytest.param(NAMED, MAYBE, ", name=1", id="may be left out"),
        pytest.param(NAMED, ANY, ", name=1", id="any"),
        pytest.param(PLAIN, NAMED, ", **given", id="unseen keywords"),
        pytest.param(PLAIN, NAMED.replace("B:", "B(metaclass=Meta):"), "", id="a metaclass"),
        pytest.param(PLAIN, "from x import X\n" + NAMED.replace("B:", "B(X):"), "", id="a base outside"),
        pytest.param(PLAIN, NAMED.replace("    def", "    @made\n    def"), "", id="a decorator"),
    ],
)
def test_keywords_that_may_fit(old: str, new: str, given: str) -> None:
    assert compare(old, new, USE.format(given)) == []


def test_a_class_of_the_backend_that_is_asked_instead() -> None:
    own = "from lib.a import B\nclass M(B):\n    def __init_subclass__(cls): ...\nclass N(M): ...\n"
    assert compare(PLAIN, NAMED, own) == [f"parameter-added {OF}"]
