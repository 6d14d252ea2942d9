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
        ("E.__members__['GONE']", ["attribute-removed lib.a.E.GONE breaks 3 GONE"]),
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
        pytest.param(NEW.replace("class", "@extended\nclass"), "E['GONE']", id="a decorator"),
        pytest.param(NEW + "    GONE: str = 'gone'\n", "E['GONE']", id="with an annotation"),
        pytest.param(NEW + "    OTHER, GONE = 'other', 'gone'\n", "E('gone')", id="several at once"),
        pytest.param(NEW + "    @member\n    def GONE(self): ...\n", "E['GONE']", id="a function"),
        pytest.param(NEW + "    vars()['GONE'] = 'gone'\n", "E['GONE']", id="put into the body"),
    ],
)
def test_a_member_that_may_be_there(new: str, line: str) -> None:
    assert not [row for row in compare(OLD, new, USE.format(line)) if "breaks" in row]


@pytest.mark.parametrize(
    "body",
    [
        "try:\n        return E['GONE']\n    except KeyError:\n        return None",
        "try:\n        return E('gone')\n    except ValueError:\n        return None",
        "if 'GONE' in E.__members__:\n        return E['GONE']",
        "if hasattr(E, 'GONE'):\n        return E['GONE']",
    ],
)
def test_a_member_that_the_code_can_do_without(body: str) -> None:
    told = compare(OLD, NEW, f"from lib.a import E\ndef g():\n    {body}\n")
    assert {row.split()[2] for row in told} == {"at-risk"}


def test_flags_join_values() -> None:
    old, new = (text.replace("(Enum)", "(Flag)").replace("'gone'", "3") for text in (OLD, NEW))
    assert compare(old, new, USE.format("E(3)")) == []
    assert compare(old, new, USE.format("E['GONE']")) == ["attribute-removed lib.a.E.GONE breaks 3 GONE"]


def test_a_lookup_of_anything_asks_for_no_member() -> None:
    old = "from enum import Enum\nclass E(Enum):\n    A, B = range(2)\n    C = 3\n"
    new = "from enum import Enum\nclass E(Enum):\n    C = 3\n"
    for use in ("E(x)", "E[x]"):
        assert compare(old, new, f"from lib.a import E\ndef f(x):\n    return {use}\n") == []
