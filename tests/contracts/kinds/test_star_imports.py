"""Names that a star import and another import or definition of the backend's module both bind."""

from __future__ import annotations

import pytest

from tests.contracts.compare import compare, engine, rows

STAR = "from engine.core import *\n"
USE = "def use():\n    return f(1)\n"
OWN = "def f(a): ...\n"
BEFORE = engine("def f(a): ...\ndef g(): ...\n", other="def f(a): ...\n")
GONE = engine("def g(): ...\n", other="def f(a): ...\n")
TAKES_NONE = engine("def f(): ...\ndef g(): ...\n", other="def f(a): ...\n")


def found(new: dict[str, str], plugin: str) -> list[str]:
    return rows(compare(BEFORE, new, {"plugin/use.py": plugin, "plugin/own.py": OWN}))


@pytest.mark.parametrize(
    "later",
    [
        "from plugin.own import f\n",
        "from .own import f\n",
        "from elsewhere import f\n",
        "import f\n",
        "from engine.other import f\n",
        "try:\n    from elsewhere import f\nexcept ImportError:\n    pass\n",
        OWN,
    ],
)
def test_what_binds_the_name_after_the_star_is_meant(later: str) -> None:
    assert found(GONE, STAR + later + USE) == found(TAKES_NONE, STAR + later + USE) == []


@pytest.mark.parametrize(
    "earlier", ["", "from plugin.own import f\n", "from elsewhere import f\n", "from engine.other import f\n"]
)
def test_what_the_star_gives_hides_what_was_imported_before(earlier: str) -> None:
    line = 3 + earlier.count("\n")
    assert found(TAKES_NONE, earlier + STAR + USE) == [f"parameter-removed core.f breaks {line}"]
    # Where the star gives it no more, the earlier import still does.
    gone = ["symbol-removed core.f breaks 1"]
    assert found(GONE, earlier + STAR + USE) == ([] if earlier else gone)


@pytest.mark.parametrize(
    "star",
    [
        pytest.param("try:\n    from engine.core import *\nexcept ImportError:\n    pass\n", id="may fail"),
        pytest.param("from elsewhere import *\n", id="unseen"),
    ],
)
def test_a_star_that_may_give_nothing_hides_no_import(star: str) -> None:
    assert found(TAKES_NONE, f"from plugin.own import f\n{star}{USE}") == []


def test_a_star_hides_no_import_of_what_it_does_not_export() -> None:
    private = {path: "__all__ = ['g']\n" + text for path, text in TAKES_NONE.items()}
    before = {path: "__all__ = ['g']\n" + text for path, text in BEFORE.items()}
    plugin = {"plugin/use.py": "from plugin.own import f\n" + STAR + USE, "plugin/own.py": OWN}
    assert rows(compare(before, private, plugin)) == []


@pytest.mark.parametrize(
    ("exports", "expected"),
    [
        ("__all__ = ['g']\n", ["symbol-removed core.f breaks 1"]),
        ("__all__ = ['f', 'g']\n", []),
        ("__all__ = [*others]\n", []),
        ("", []),
    ],
)
def test_a_name_that_the_module_no_longer_exports(exports: str, expected: list[str]) -> None:
    new = engine(f"{exports}def f(a): ...\ndef g(): ...\n", other="def f(a): ...\n")
    assert found(new, STAR + USE) == expected
    assert found(new, "from engine.core import f\n" + USE) == []
