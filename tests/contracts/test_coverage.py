"""How much of a backend could be judged, and what could not."""

from __future__ import annotations

import pytest

from syncbot.contracts.coverage import Coverage, covered
from syncbot.contracts.discovery import discover
from syncbot.contracts.kinds.unknown_objects import UnknownObjectContract
from syncbot.contracts.model import Contract
from syncbot.contracts.sources import in_memory
from tests.contracts.world import comparison

UPSTREAM = {
    "lib/__init__.py": "",
    "lib/a.py": "class C:\n    pass\ndef f(): ...\n",
    "lib/d.py": "def __getattr__(n): ...\n",
}


def coverage(files: dict[str, str]) -> tuple[Coverage, list[str]]:
    own = in_memory(files)
    names = comparison(UPSTREAM, UPSTREAM, own).old
    unjudged: list[Contract] = []
    contracts = discover(own, names, ("lib",), unjudged=unjudged)
    assert not any(isinstance(contract, UnknownObjectContract) for contract in contracts)
    return covered(own, contracts, unjudged), [
        contract.symbol for contract in unjudged if isinstance(contract, UnknownObjectContract)
    ]


@pytest.mark.parametrize(
    ("body", "unknown"),
    [
        ("def g(x):\n    x.a.b()\n    x.c\ndef h(x):\n    x.a\n", ["x", "x"]),
        ("def g(x: Outside):\n    x.a\n", []),
        ("def g():\n    x = []\n    x.append(1)\n", []),
        ("import torch\ndef g():\n    x = torch.zeros(1)\n    x.sum()\n", []),
        ("def g(y):\n    x = y()\n    x.sum()\n", ["x"]),
        ("from lib.a import C\ndef g():\n    x = C()\n    x.a\n", []),
        ("for x in y:\n    x.a\n", []),
    ],
)
def test_objects_without_a_known_class(body: str, unknown: list[str]) -> None:
    assert coverage({"plugin/a.py": body})[1] == unknown


def test_attributes_of_self() -> None:
    body = "class A:\n    def __init__(self, t):\n        self.t, self.n = t, 1\n    def g(self):\n        self.t.a.b\n        self.t.c\n        self.x.y\n"
    assert coverage({"plugin/a.py": body})[1] == ["self.t"]


def test_contracts_with_what_cannot_be_seen() -> None:
    found, _ = coverage(
        {"plugin/a.py": "from lib.d import x\nfrom lib.a import f\n", "plugin/__init__.py": "\n"}
    )
    assert found == Coverage(files=1, relying=1, contracts=2, objects=0, unknown=1)


def test_a_name_of_an_unknown_object_is_no_reliance_on_upstream() -> None:
    found, _ = coverage({"plugin/a.py": "def g(x):\n    x.some_long_name()\n", "plugin/__init__.py": "\n"})
    assert (found.relying, found.contracts, found.is_thin) == (0, 0, True)


@pytest.mark.parametrize(
    ("files", "relying", "thin"), [(1, 0, True), (40, 1, True), (20, 1, False), (0, 0, False)]
)
def test_how_few_are_too_few(files: int, relying: int, thin: bool) -> None:
    assert Coverage(files, relying, relying, 0, 0).is_thin is thin
