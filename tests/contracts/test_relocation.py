"""Where names went that the new tree lacks."""

from __future__ import annotations

import pytest

from syncbot.contracts.relocation import Relocation, Relocations, defined_names
from syncbot.contracts.sources import in_memory
from tests.contracts.world import PACKAGES, Files, comparison, engine, findings, rows

F = "def f(a):\n    b = a\n    return b\n"
TOOL = "class Tool:\n    def run(self):\n        return 1\n    def stop(self):\n        return 2\n"
X = "x = 1\n"
JOB = "class Job:\n    spec: int\n    old_one: int\n    old_two: int\n"
NEXT = JOB.replace("old_", "new_")
OTHER = "class Job:\n    other: int\n    another: int\n    third: int\n"


def _gone(old: Files, new: Files, symbol: str) -> Relocation | None:
    pair = comparison(old, new, in_memory({}), PACKAGES)
    found = pair.relocation(symbol)
    trees = (pair.old_tree, pair.new_tree)
    assert found == Relocations(pair.old, pair.new, *trees, pair.changed, pair.own_tree).of(symbol)
    return found


def _package(**modules: str) -> dict[str, str]:
    """A tree by module names, ``__`` for a dot."""
    return {
        "engine/__init__.py": "",
        **{f"engine/{n.replace('__', '/')}.py": body for n, body in modules.items()},
    }


@pytest.mark.parametrize(
    ("old", "new", "symbol", "expected"),
    [
        pytest.param(_package(a=F, b=X), _package(a=X, b=X + F), "engine.a.f",
                     ("engine.b.f", "moved"), id="function moved"),
        pytest.param(_package(a=TOOL, b=X), _package(a=X, b=X + TOOL), "engine.a.Tool",
                     ("engine.b.Tool", "moved"), id="class moved"),
        pytest.param(_package(a=F), _package(a=F.replace(" f(", " g(")), "engine.a.f",
                     ("engine.a.g", "renamed"), id="function renamed"),
        pytest.param(_package(a=TOOL), _package(a=TOOL.replace("Tool", "Kit")), "engine.a.Tool",
                     ("engine.a.Kit", "renamed"), id="class renamed"),
        pytest.param(_package(a="A = 'long'\n", b=X), _package(a="", b=X + "A = 'long'\n"), "engine.a.A",
                     ("engine.b.A", "moved"), id="constant moved"),
        pytest.param(_package(a=F), _package(core__a=F), "engine.a",
                     ("engine.core.a", "moved"), id="module moved"),
        pytest.param(_package(a=F), _package(z=F), "engine.a", ("engine.z", "moved"), id="module renamed"),
        pytest.param(_package(a=F + TOOL), _package(z=F.replace("b", "c") + TOOL), "engine.a",
                     ("engine.z", "moved"), id="module renamed and changed"),
        pytest.param(_package(a=F), _package(core__a=F), "engine.a.f",
                     ("engine.core.a.f", "moved"), id="name of a moved module"),
        pytest.param({**_package(a=F), "engine/__init__.py": "from engine.a import f\n"}, _package(a=F),
                     "engine.f", ("engine.a.f", "moved"), id="re-export dropped"),
        pytest.param({**_package(a=F, b=X), "engine/__init__.py": "from .a import f\n"},
                     _package(a="", b=X + F), "engine.f", ("engine.b.f", "moved"),
                     id="re-export dropped and definition moved"),
        pytest.param(_package(layers__a=F, layers__b=X, tools__b=X),
                     _package(layers__a=X, layers__b=X + F, tools__b=X + F), "engine.layers.a.f",
                     ("engine.layers.b.f", "moved"), id="the nearer of two"),
        pytest.param(_package(a=F, b=X), _package(a=X, b=X + "def f(a, c):\n    return c\n"), "engine.a.f",
                     ("engine.b.f", "moved"), id="function moved and changed"),
        pytest.param(_package(a="def run_all():\n    return 1\n", b=X),
                     _package(a=X, b=X + "def run_all():\n    return 2\n"), "engine.a.run_all",
                     ("engine.b.run_all", "moved"), id="function of two words without parameters"),
        pytest.param(_package(a="def main():\n    return 1\n", b=X),
                     _package(a=X, b=X + "def main():\n    return 1\n"), "engine.a.main",
                     ("engine.b.main", "moved"), id="function of one word with that body"),
        pytest.param(_package(a__base=F + TOOL), _package(z__base=F), "engine.a.base",
                     ("engine.z.base", "moved"), id="a part of a module under its last name"),
        pytest.param(_package(a=F), _package(core__a=F, other__a=F + X), "engine.a",
                     ("engine.core.a", "moved"), id="the very same file first"),
        pytest.param(_package(a=F + TOOL + JOB, b=X), _package(core=F + TOOL + NEXT, b=X), "engine.a.Job",
                     ("engine.core.Job", "moved"), id="a class that changed more, with its module"),
    ],
)  # fmt: skip
def test_where_a_name_went(old: Files, new: Files, symbol: str, expected: tuple[str, str]) -> None:
    assert _gone(old, new, symbol) == Relocation(*expected)


@pytest.mark.parametrize(
    ("old", "new", "symbol"),
    [
        pytest.param(_package(a=F), _package(a=X), "engine.a.f", id="removed"),
        pytest.param(_package(a=F, b=F), _package(a=X, b=F + X), "engine.a.f", id="was there before as well"),
        pytest.param(_package(a="A = 1\n", b=X), _package(a="", b=X + "A = 2\n"), "engine.a.A",
                     id="another constant"),
        pytest.param(_package(a="A = 1\n", b=X, c=X), _package(a="", b=X + "A = 1\n", c=X + "A = 1\n"),
                     "engine.a.A", id="two such constants"),
        pytest.param(_package(a=F), _package(a=F.replace(" f(", " g(").replace("b = a", "b = -a")),
                     "engine.a.f", id="another body"),
        pytest.param(_package(a=F), _package(a=F.replace(" f(", " g(") + F.replace(" f(", " h(")),
                     "engine.a.f", id="two of that body"),
        pytest.param(_package(a=F, g=X), _package(a=F.replace(" f(", "_f("), g=X), "engine.a.h",
                     id="never was there"),
        pytest.param(_package(a=F), _package(b=TOOL), "engine.a", id="module removed"),
        pytest.param(_package(a=F), _package(b="# def f\n"), "engine.a", id="only mentioned"),
        pytest.param(_package(a=TOOL), _package(a="class Kit:\n    def go(self):\n        return 3\n"),
                     "engine.a.Tool", id="another class"),
        pytest.param(_package(a__base=F), _package(z__base="def g(x):\n    return x\n"), "engine.a.base",
                     id="a new module that only has the last name"),
        pytest.param(_package(a="def main():\n    return 1\n"), _package(z="def main():\n    return 2\n"),
                     "engine.a", id="one word that stands in many modules"),
        pytest.param(_package(a__core=""), _package(z=""), "engine.a.core", id="empty as many others"),
        pytest.param(_package(a=F, b=X), _package(a=X, b=X + "def f(x, y):\n    return y\n"), "engine.a.f",
                     id="a function that only has the name"),
        pytest.param(_package(a="def main():\n    return 1\n", b=X),
                     _package(a=X, b=X + "def main():\n    return 2\n"), "engine.a.main",
                     id="a function of one word with another body"),
        pytest.param(_package(a=F, b=X), _package(a=X, b=X + "class f:\n    a = 1\n"), "engine.a.f",
                     id="a class by the name of a function"),
        pytest.param(_package(a=TOOL, b=X),
                     _package(a=X, b=X + "class Tool:\n    def go(self):\n        return 3\n"),
                     "engine.a.Tool", id="a class that only has the name"),
        pytest.param(_package(a="def __getattr__(name):\n    return 1\n"),
                     _package(z="def __getattr__(name):\n    return 2\n"), "engine.a",
                     id="two modules that answer for any name"),
        pytest.param(_package(a=F + TOOL + JOB), _package(core=F + TOOL + OTHER), "engine.a.Job",
                     id="nothing but the name, where the module went"),
        pytest.param(_package(a=F + TOOL + JOB), _package(a=F + TOOL, core=NEXT), "engine.a.Job",
                     id="a class that changed more, without its module"),
        pytest.param(_package(a=F + TOOL + JOB, z=NEXT),
                     _package(core=F + TOOL + "from engine.z import Job\n", z=NEXT), "engine.a.Job",
                     id="imported where the module went"),
        pytest.param(_package(a=F + TOOL + JOB), _package(a=X, core=F + TOOL + NEXT), "engine.a.Job",
                     id="its module is still there"),
    ],
)  # fmt: skip
def test_names_of_which_nobody_can_tell(old: Files, new: Files, symbol: str) -> None:
    assert _gone(old, new, symbol) is None


def test_defined_names_leave_imports_out() -> None:
    pair = comparison(
        engine("import os\nfrom a import b\n" + F + TOOL + X), engine(""), in_memory({}), PACKAGES
    )
    table = pair.old.table("engine.core")
    assert table is not None
    assert defined_names(table) == {"f", "Tool", "x"}


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(engine("", other=X + F), "symbol-moved engine.core.f breaks 2 f", id="moved"),
        pytest.param(
            engine(F.replace(" f(", " g("), other=X), "symbol-renamed engine.core.f breaks 2 f", id="renamed"
        ),
        pytest.param(engine("", other=X), "attribute-removed engine.core.f breaks 2 f", id="removed"),
    ],
)
def test_a_name_that_is_reached_through_its_module(new: Files, expected: str) -> None:
    old, plugin = engine(F, other=X), "from engine import core\ncore.f\n"
    (finding,) = findings(old, new, {"plugin/use.py": plugin})
    assert rows([finding]) == [expected]
    assert ("; it is now engine." in finding.reason) is (finding.kind != "attribute-removed")


BUILDER = """
class Builder:
    def __init__(self, source): ...
    def build(self, rows, columns): ...
    def close(self): ...
"""
OTHER = BUILDER.replace("source", "config, device").replace("rows, columns", "metadata")


def test_a_class_whose_methods_take_other_things_altogether_is_another() -> None:
    old = _package(a=BUILDER, b=X)
    closed = BUILDER.replace("    def close(self): ...\n", "")
    unlike = OTHER.replace("    def close(self): ...\n", "")
    assert _gone(_package(a=closed, b=X), _package(a=X, b=X + unlike), "engine.a.Builder") is None
    # A method that takes nothing, in both, says that they may be the same.
    assert _gone(old, _package(a=X, b=X + OTHER), "engine.a.Builder") is not None
    alike = unlike.replace("metadata", "rows, metadata")
    assert _gone(_package(a=closed, b=X), _package(a=X, b=X + alike), "engine.a.Builder") is not None
