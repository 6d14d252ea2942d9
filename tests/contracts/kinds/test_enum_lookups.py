"""Members of enumerations that are looked up by name or by value."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "from enum import Enum\nclass E(Enum):\n    GONE = 'gone'\n    KEPT = 'kept'\n"
NEW = "from enum import Enum\nclass E(Enum):\n    KEPT = 'kept'\n"
USE = "from lib.a import E\ndef g():\n    return {}\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("E['GONE']", ["attribute-removed lib.a.E.GONE breaks 3 GONE"]),
        ("E('gone')", ["attribute-removed lib.a.E.'gone' breaks 3 'gone'"]),
    ],
)
def test_a_member_that_is_gone(line: str, told: list[str]) -> None:
    assert compare(OLD, NEW, USE.format(line)) == told
    assert (
        compare(OLD.replace("(Enum)", "(str, Enum)"), NEW.replace("(Enum)", "(str, Enum)"), USE.format(line))
        == told
    )


@pytest.mark.parametrize(
    ("new", "line"),
    [
        pytest.param(NEW, "E['KEPT']", id="another name"),
        pytest.param(NEW, "E('kept')", id="another value"),
        pytest.param(NEW, "E(g)", id="no literal"),
        pytest.param(OLD.replace("GONE", "NEW"), "E('gone')", id="the value under another name"),
        pytest.param(NEW + "    @classmethod\n    def _missing_(cls, value): ...\n", "E('gone')", id="found"),
        pytest.param(NEW.replace("'kept'", "auto()"), "E('gone')", id="values that are made"),
        pytest.param(NEW.replace("(Enum)", "(Mine)"), "E['GONE']", id="another base"),
        pytest.param(NEW.replace("(Enum)", "(Enum, metaclass=Meta)"), "E['GONE']", id="a metaclass"),
    ],
)
def test_a_member_that_may_be_there(new: str, line: str) -> None:
    assert not [row for row in compare(OLD, new, USE.format(line)) if "breaks" in row]
