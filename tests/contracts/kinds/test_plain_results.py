"""Results that were objects of a class and are lists, texts or numbers now."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "from torch import Tensor\ndef f() -> tuple[Tensor, int]: ...\ndef g() -> Tensor: ...\n"
NEW = OLD.replace("tuple[Tensor", "tuple[list[Tensor]").replace("g() -> Tensor", "g() -> List[Tensor]")
HEAD = "from lib.a import f, g\n"


@pytest.mark.parametrize(
    ("body", "function", "line"),
    [
        ("def use():\n    x, y = f()\n    return x.shape\n", "f", 3),
        ("def use(y):\n    x = None\n    if y:\n        x = g()\n        return x.shape\n", "g", 5),
        ("def use():\n    x = g()\n    return x.shape[0]\n", "g", 3),
        ("def use():\n    return g().shape\n", "g", 3),
        ("def use():\n    x, y = f()\n    return x.append(1), x.sum()\n", "f", 3),
    ],
)
def test_an_attribute_that_no_list_has(body: str, function: str, line: int) -> None:
    assert f"return-kind-changed lib.a.{function} breaks {line}" in compare(OLD, NEW, HEAD + body)


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        pytest.param(OLD, NEW, "def use():\n    x, y = f()\n    return y.real\n", id="another part"),
        pytest.param(OLD, NEW, "def use():\n    x, y = f()\n    return x.copy()\n", id="lists have it"),
        pytest.param(
            OLD, NEW, "def use():\n    x, y = f()\n    x = h(x)\n    return x.shape\n", id="bound anew"
        ),
        pytest.param(OLD, NEW, "def use():\n    x, *y = f()\n    return x.shape\n", id="a star"),
        pytest.param(
            OLD.replace("[Tensor", "[Any"), NEW, "def use():\n    x, y = f()\n    return x.a\n", id="any"
        ),
        pytest.param(
            OLD.replace("from torch import Tensor", "Tensor = Union[int, list]"),
            NEW.replace("from torch import Tensor", "Tensor = Union[int, list]"),
            "def use():\n    x, y = f()\n    return x.shape\n",
            id="a name for several types",
        ),
        pytest.param(
            OLD,
            NEW.replace("tuple[list[Tensor]", "tuple[list[Tensor] | Tensor"),
            "def use():\n    x, y = f()\n    return x.shape\n",
            id="one of several",
        ),
    ],
)
def test_what_may_have_the_attribute(old: str, new: str, body: str) -> None:
    told = [row for row in compare(old, new, HEAD + body) if "lib.a.f breaks" in row]
    assert told == []
