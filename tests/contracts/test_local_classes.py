"""Classes that functions define in their bodies."""

from __future__ import annotations

import ast
from textwrap import dedent, indent

import pytest

from syncbot.api.extract import extract
from syncbot.api.local_classes import is_local, table_name
from tests.contracts.world import compare

OLD = """
class Base:
    def __init__(self, a): ...
    def hook(self): ...
    def run(self):
        return self.hook()

class Other(Base): ...
"""
NEW = OLD.replace("self, a)", "self, a, b)").replace("hook", "called")
USES = {
    "a function": "from lib.a import Base\n\ndef make():\n{}",
    "its own import": "def make():\n    from lib.a import Base\n{}",
    "an alias": "def make():\n    from lib.a import Base as Kept\n    Base = Kept\n{}",
    "a module": "def make():\n    import lib.a\n{}",
    "a method": "from lib.a import Base\n\nclass Holder:\n    def make(self):\n    {}",
    "a function in a function": "def around():\n    from lib.a import Base\n    def make():\n    {}",
    "a condition": "from lib.a import Base\n\ndef make(x):\n    if x:\n    {}",
}
BASES = {"an alias": "Kept", "a module": "lib.a.Base"}
DEEP = ("a method", "a function in a function", "a condition")


def plugin(where: str, body: str) -> str:
    """A class with that body, and a call of it, at a place."""
    shown = f"class Own({BASES.get(where, 'Base')}):\n{indent(dedent(body), '    ')}\nreturn Own(1)\n"
    depth = "    " * (2 if where in DEEP else 1)
    return USES[where].format(indent(shown, depth).removeprefix("    " if where in DEEP else ""))


@pytest.mark.parametrize("where", USES)
def test_a_class_in(where: str) -> None:
    told = compare(OLD, NEW, plugin(where, "def hook(self): ..."))
    assert [row.split()[:3] for row in told] == [
        ["method-removed", "lib.a.Base.hook", "at-risk"],
        ["parameter-added", "lib.a.Base.__init__", "breaks"],
    ]


@pytest.mark.parametrize("where", USES)
def test_what_has_its_own_constructor_in(where: str) -> None:
    body = "def __init__(self, a):\n    super().__init__(a, b=2)\ndef other(self): ..."
    old = OLD.replace("self, a)", "self, a, b=0)")
    told = compare(old, NEW.replace("self, a, b)", "self, a, b)"), plugin(where, body))
    assert [row for row in told if " breaks" in row] == []


@pytest.mark.parametrize(
    "text",
    [
        "def make(Base):\n    class Own(Base):\n        def hook(self): ...\n    return Own(1)\n",
        "def make():\n    Base = choose()\n    class Own(Base):\n        def hook(self): ...\n    return Own(1)\n",
        "def make():\n    class Base: ...\n    class Own(Base):\n        def hook(self): ...\n    return Own(1)\n",
        "def make():\n    from other import Base\n    class Own(Base):\n        def hook(self): ...\n    return Own(1)\n",
    ],
)
def test_a_base_that_only_shares_the_name(text: str) -> None:
    assert compare(OLD, NEW, f"from lib.a import Base\n{text}") == []


def test_a_class_in_a_function_hides_that_of_the_module() -> None:
    text = "from lib.a import Base\ndef make():\n    class Base:\n        def __init__(self, a): ...\n    return Base(1)\n"
    assert compare(OLD, NEW, text) == []
    assert compare(OLD, NEW, text.replace("class Base:", "class Mine:")) == [
        "parameter-added lib.a.Base.__init__ breaks 5 b"
    ]


def test_the_table_has_them_by_names_that_no_text_has() -> None:
    table = extract(
        b"import a\nclass A:\n    def f(self):\n        from b import C\n        class B(C): ...\n"
    )
    assert [(c.name, c.bases) for c in table.classes] == [
        ("A", ()),
        (table_name(("A", "f", "B")), (table_name(("A", "f", "C")),)),
    ]
    assert [is_local(i.local) for i in table.imports] == [False, True]
    assert ast.parse(table_name(("A", "f", "B")), mode="eval")
