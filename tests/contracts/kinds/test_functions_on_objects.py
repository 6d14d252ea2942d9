"""Functions of the backend that are put onto an object of upstream, in the place of a method."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Manager:
    @property
    def size(self): ...

    def get(self, request): ...

class Owner:
    def __init__(self):
        self.manager = Manager()

    def run(self):
        return self.manager.get(1)
"""
NEW = OLD.replace("get(self, request)", "get(self, request, most)").replace("get(1)", "get(1, 2)")
OPTIONAL = OLD.replace("get(self, request)", "get(self, request, most=0)").replace("get(1)", "get(1, most=2)")
OWN = "from lib.a import Manager, Owner\n\n"
FOUND = ["parameter-required lib.a.Manager.get breaks"]


@pytest.mark.parametrize(
    "own",
    [
        pytest.param(
            "def use(owner: Owner):\n    def seen(request):\n        return 1\n    owner.manager.get = seen\n",
            id="of the function around",
        ),
        pytest.param(
            "def seen(r): ...\ndef use(owner: Owner):\n    owner.manager.get = seen\n", id="of the module"
        ),
        pytest.param("def use(owner: Owner):\n    owner.manager.get = lambda r: 1\n", id="a lambda"),
        pytest.param(
            "def use(owner: Owner):\n    manager = getattr(owner, 'manager', None)\n"
            "    if manager is None:\n        return\n    setattr(manager, 'get', lambda r: 1)\n",
            id="by setattr",
        ),
        pytest.param(
            "class Mine:\n    def seen(self, r): ...\n    def use(self, owner: Owner):\n"
            "        owner.manager.get = self.seen\n",
            id="a bound method",
        ),
        pytest.param(
            "def made(first):\n    def seen(request):\n        return first\n    return seen\n"
            "def use(owner: Owner):\n    owner.manager.get = made(1)\n",
            id="of a factory",
        ),
        pytest.param(
            "def seen(self, r): ...\ndef use(owner: Owner):\n    m = owner.manager\n"
            "    m.get = seen.__get__(m, m.__class__)\n",
            id="bound by the descriptor",
        ),
        pytest.param(
            "import types\ndef seen(self, r): ...\ndef use(owner: Owner):\n"
            "    owner.manager.get = types.MethodType(seen, owner.manager)\n",
            id="bound by the type of methods",
        ),
    ],
)
def test_the_method_takes_more(own: str) -> None:
    assert [row.rpartition(" ")[0].rpartition(" ")[0] for row in compare(OLD, NEW, OWN + own)] == FOUND
    assert [row.split()[2] for row in compare(OLD, OPTIONAL, OWN + own)] == ["breaks"]


@pytest.mark.parametrize(
    "own",
    [
        pytest.param("def use(owner: Owner):\n    owner.manager.get = lambda r, most=0: 1\n", id="takes it"),
        pytest.param(
            "def use(owner: Owner):\n    owner.manager.get = lambda *args, **more: 1\n", id="takes all"
        ),
        pytest.param("def use(owner: Owner):\n    owner.manager.get = print\n", id="of Python"),
        pytest.param(
            "def seen(self, r, most=0): ...\ndef use(owner: Owner):\n    m = owner.manager\n"
            "    m.get = seen.__get__(m, m.__class__)\n",
            id="bound, and takes it",
        ),
        pytest.param("def use(owner: Owner):\n    owner.manager.get = lambda: 1\n", id="never fitted"),
        pytest.param("def use(owner: Owner):\n    owner.manager.size = lambda r: 1\n", id="a property"),
        pytest.param("def use(owner):\n    owner.manager.get = lambda r: 1\n", id="of something unknown"),
        pytest.param(
            "class Mine(Manager):\n    def use(self):\n        self.got = lambda r: 1\n", id="another name"
        ),
        pytest.param(
            "def wrap(f): return unknown(f)\n@wrap\ndef seen(r): ...\n"
            "def use(owner: Owner):\n    owner.manager.get = seen\n",
            id="what a decorator made",
        ),
    ],
)
def test_what_still_fits_or_is_not_known(own: str) -> None:
    assert compare(OLD, NEW, OWN + own) == []


def test_nothing_changed() -> None:
    assert (
        compare(OLD, OLD + "\n\n", OWN + "def use(owner: Owner):\n    owner.manager.get = lambda r: 1\n")
        == []
    )
