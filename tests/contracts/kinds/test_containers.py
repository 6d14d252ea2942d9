"""Containers of upstream modules and classes that the backend adds to."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told


@pytest.mark.parametrize(
    ("old", "new", "use"),
    [
        pytest.param("KNOWN = [1]", "KNOWN = (1, 2)", "KNOWN.append(3)", id="list to tuple"),
        pytest.param("KNOWN = {1}", "KNOWN = [1]", "KNOWN.add(3)", id="set to list"),
        pytest.param("KNOWN = {1}", "KNOWN = frozenset({1})", "KNOWN.add(3)", id="set to frozenset"),
        pytest.param("KNOWN = {1: 2}", "KNOWN = frozenset()", "KNOWN[3] = 4", id="item set"),
        pytest.param("KNOWN = {1: 2}", "KNOWN = [1]", "KNOWN.update({3: 4})", id="dictionary updated"),
        pytest.param("KNOWN: list[int] = make()", "KNOWN: tuple[int, ...] = make()", "KNOWN.append(3)",
                     id="by annotation"),
        pytest.param("from typing import List, Set\nKNOWN: List[int] = make()", "KNOWN: 'set[int]' = make()",
                     "KNOWN.append(3)", id="quoted annotation"),
        pytest.param("KNOWN = [i for i in x]", "KNOWN = {i for i in x}", "KNOWN.append(3)", id="comprehension"),
    ],
)  # fmt: skip
def test_containers_that_lack_the_method_now(old: str, new: str, use: str) -> None:
    expected = ["container-changed core.KNOWN breaks 2"]
    assert told(f"{old}\n", f"{new}\n", f"from engine.core import KNOWN\n{use}\n") == expected
    assert told(f"{old}\n", f"{new}\n", f"from engine import core\ncore.{use}\n") == expected


def test_a_container_of_a_class() -> None:
    plugin = "from engine.core import Tool\nTool.KNOWN.append(1)\n"
    found = told("class Tool:\n    KNOWN = [1]\n", "class Tool:\n    KNOWN = (1,)\n", plugin)
    assert found == ["container-changed core.Tool.KNOWN breaks 2"]


@pytest.mark.parametrize(
    ("old", "new", "use"),
    [
        pytest.param("KNOWN = [1]", "KNOWN = [1, 2]", "KNOWN.append(3)", id="same type"),
        pytest.param("KNOWN = [1]", "KNOWN = (1,)", "KNOWN.index(1)", id="both have the method"),
        pytest.param("KNOWN = {}", "KNOWN = []", "KNOWN[0] = 1", id="both take items"),
        pytest.param("KNOWN = [1]", "KNOWN = Registry()", "KNOWN.append(3)", id="a class of its own"),
        pytest.param("KNOWN = make()", "KNOWN = (1,)", "KNOWN.append(3)", id="unknown before"),
        pytest.param("KNOWN = [1]", "KNOWN = (1,)", "def f(KNOWN):\n    KNOWN.append(3)", id="a parameter"),
        pytest.param("KNOWN = [1]", "KNOWN = (1,)", "KNOWN = []\nKNOWN.append(3)", id="bound here"),
    ],
)  # fmt: skip
def test_containers_that_still_take_it(old: str, new: str, use: str) -> None:
    assert told(f"{old}\n", f"{new}\n", f"from engine.core import KNOWN\n{use}\n") == []
