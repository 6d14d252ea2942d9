"""Values of the backend in the place of upstream's, and what upstream asks of them."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
class Pool:
    def add(self, key): ...
    def put(self, key): ...
    def __call__(self): ...
    def __truediv__(self, key): ...


class Worker:
    names = Pool()

    def __init__(self):
        self.names = Pool()

    def work(self, key):
        {}


{}
"""
OLD = LIB.format("self.names.add(key)", "")
SLOTS = {
    "in the body": "class Mine(Worker):\n    names = [1]\n",
    "on self": "class Mine(Worker):\n    def __init__(self):\n        self.names = []\n",
    "an object": "class Own:\n    def add(self, key): ...\n\nclass Mine(Worker):\n    def __init__(self):\n"
    "        self.names = Own()\n",
}
ASKED = {
    "an attribute": ("self.names.put(key)", ""),
    "an alias": ("names = self.names\n        names.put(key)", ""),
    "an operator": ("return self.names / key", ""),
    "a call": ("return self.names()", ""),
    "a walrus": ("return (names := self.names).put(key)", ""),
    "another receiver": ("pass", "class Later(Worker):\n    def more(me):\n        me.names.put(1)"),
    "a function": ("pass", 'def use(worker: "Worker | None"):\n    worker.names.put(1)'),
}


@pytest.mark.parametrize("slot", SLOTS)
@pytest.mark.parametrize("asked", ASKED)
def test_whatever_the_slot_and_however_it_is_asked(slot: str, asked: str) -> None:
    base = "Later" if "Later" in ASKED[asked][1] else "Worker"
    plugin = "from lib.a import Later, Pool, Worker\n\n" + SLOTS[slot].replace("(Worker)", f"({base})")
    old = LIB.format("pass", "class Later(Worker):\n    def more(me):\n        return 1")
    new = LIB.format(*ASKED[asked]) if base == "Later" else f"{LIB.format(*ASKED[asked])}\nclass Later: ..."
    told = [row.rsplit(" ", 2)[0] for row in compare(old, new, plugin) if row.endswith(" names")]
    assert "attribute-type-changed lib.a.Worker.names breaks" in told


@pytest.mark.parametrize(
    ("new", "more"),
    [
        pytest.param(("self.names.add(key)", "def use(pool: Pool):\n    pool.put(1)"), "", id="of another class"),
        pytest.param(("self.names.add(key)", "def use(worker):\n    worker.names.put(1)"), "", id="of anything"),
        pytest.param(("self.names.put(key)", ""), "    def work(self, key): ...\n", id="in what is ours"),
        pytest.param(
            ("hasattr(self.names, 'put') and self.names.put(key)", ""), "", id="where it is there"
        ),
        pytest.param(("self.names = Pool()\n        self.names.put(key)", ""), "", id="set before"),
    ],
)  # fmt: skip
def test_what_is_not_asked_of_the_value(new: tuple[str, str], more: str) -> None:
    plugin = "from lib.a import Worker\n\n" + SLOTS["an object"] + more
    told = compare(OLD, LIB.format(*new), plugin)
    assert [row for row in told if row.startswith("attribute-type-changed")] == []
