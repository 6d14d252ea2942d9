"""Attributes that a method sets to what it imports itself."""

from __future__ import annotations

from tests.contracts.world import findings

OLD = {
    "lib/__init__.py": "from lib.a import Engine\n",
    "lib/a.py": """
class Engine:
    @classmethod
    def make(cls) -> "Engine": ...

    def run(self, a, task=None): ...
""",
}


INNER = "class Base:\n    def __init__(self):\n        from lib.a import Engine\n        self.engine{} = Engine()\n"
READS = """
from lib.b import Base


class Mine(Base):
    def __init__(self):
        from lib.a import Engine
        super().__init__()
        self.engine = Engine()


def use(base: Base):
    return base.engine.run(1)
"""


def test_another_type_is_told_by_the_names_that_the_source_has() -> None:
    old = {**OLD, "lib/b.py": INNER.format(": Engine")}
    new = {**OLD, "lib/b.py": INNER.format(": list[Engine]").replace("Engine()", "[Engine()]")}
    told = [f.reason for f in findings(old, new, READS) if f.kind == "field-type-changed"]
    assert told
    assert all("was declared as Engine and is now declared as list[Engine]" in why for why in told)
