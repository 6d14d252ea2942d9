"""Attributes that a method sets to what it imports itself."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare, findings

OLD = {
    "lib/__init__.py": "from lib.a import Engine\n",
    "lib/a.py": """
class Engine:
    @classmethod
    def make(cls) -> "Engine": ...

    def run(self, a, task=None): ...
""",
}
NEW = {**OLD, "lib/a.py": OLD["lib/a.py"].replace(", task=None", "")}
PLUGIN = """
class Mine:
    def __init__(self):
        {imports}
        self.engine{value}

    def use(self):
        self.engine.run(1, task=2)
"""


@pytest.mark.parametrize(
    ("imports", "value"),
    [
        ("import lib", " = lib.Engine.make()"),
        ("import lib.a", " = lib.a.Engine()"),
        ("from lib.a import Engine", " = Engine.make()"),
        ("from lib import Engine as Kept", " = Kept()"),
        ("from lib.a import Engine", ": Engine = make()"),
        ("if True:\n            from lib.a import Engine", " = Engine()"),
        ("try:\n            import lib\n        except ImportError:\n            raise", " = lib.Engine()"),
    ],
)
def test_what_a_method_imports_is_followed(imports: str, value: str) -> None:
    line = 7 + imports.count("\n")
    found = compare(OLD, NEW, PLUGIN.format(imports=imports, value=value))
    assert found == [f"parameter-removed lib.a.Engine.run breaks {line} task"]


@pytest.mark.parametrize(
    ("imports", "value"),
    [
        ("from lib.a import Engine", " = other(Engine)"),
        ("from other import Engine", " = Engine()"),
        ("import lib", " = library.Engine()"),
    ],
)
def test_what_comes_from_elsewhere_is_not(imports: str, value: str) -> None:
    assert compare(OLD, NEW, PLUGIN.format(imports=imports, value=value)) == []


def test_upstream_too() -> None:
    caller = """
class Service:
    def __init__(self):
        from lib.a import Engine
        self.engine = Engine()

    def go(self):
        self.engine.run(1{given})
"""
    backend = "from lib.a import Engine\n\n\nclass Mine(Engine):\n    def run(self, a): ...\n"
    grown = OLD["lib/a.py"].replace("task=None", "task=None, deep=None")
    old = {**OLD, "lib/b.py": caller.format(given="")}
    new = {**OLD, "lib/a.py": grown, "lib/b.py": caller.format(given=", deep=3")}
    assert "parameter-added lib.a.Engine.run breaks 5 deep" in compare(old, new, backend)


INNER = "class Base:\n    def __init__(self):\n        from lib.a import Engine\n        self.engine{} = Engine()\n"
OUTER = (
    "from lib.a import Engine\n\n\nclass Base:\n    def __init__(self):\n        self.engine{} = Engine()\n"
)
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


@pytest.mark.parametrize("declared", ["", ": Engine"])
def test_an_import_that_moves_into_or_out_of_a_function_changes_nothing(declared: str) -> None:
    inner, outer = ({**OLD, "lib/b.py": text.format(declared)} for text in (INNER, OUTER))
    assert compare(inner, outer, READS) == compare(outer, inner, READS) == []


def test_another_type_is_told_by_the_names_that_the_source_has() -> None:
    old = {**OLD, "lib/b.py": INNER.format(": Engine")}
    new = {**OLD, "lib/b.py": INNER.format(": list[Engine]").replace("Engine()", "[Engine()]")}
    told = [f.reason for f in findings(old, new, READS) if f.kind == "field-type-changed"]
    assert told
    assert all("was declared as Engine and is now declared as list[Engine]" in why for why in told)


MADE = """
class Mine:
    def __init__(self):
        self.engine = self._made()

    def _made(self):
        {body}

    def use(self):
        self.engine.run(1, task=2)
"""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("from lib.a import Engine\n        return Engine.make()", True),
        ("from lib.a import Engine\n        engine = Engine.make()\n        return engine", True),
        (
            "from lib.a import Engine\n        engine = Engine()\n        engine = wrapped(engine)\n        return engine",
            False,
        ),
        ("from lib.a import Engine\n        engine = other(Engine)\n        return engine", False),
    ],
)
def test_what_a_method_makes_of_an_import_of_its_own(body: str, told: bool) -> None:
    plugin = MADE.format(body=body)
    line = len(plugin.strip().splitlines())
    expected = [f"parameter-removed lib.a.Engine.run breaks {line} task"] if told else []
    assert compare(OLD, NEW, plugin) == expected
