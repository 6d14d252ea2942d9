"""Resolution of dotted names: re-exports, stars, relative imports, packages, aliases, cycles."""

from __future__ import annotations

import pytest

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from tests.contracts.world import tree, universe


def shown(symbol: Symbol | None) -> str | None:
    return None if symbol is None else f"{symbol.kind} {symbol.name}"


DEEP = {
    "lib/__init__.py": "from .core import Tool\nfrom .core.parts import *\nfrom . import core as c\n",
    "lib/core/__init__.py": "from .parts import Tool as Tool, hidden\nfrom ..other import late\n",
    "lib/core/parts.py": "class Tool:\n    class Inner:\n        size = 1\n\n    def use(self): ...\n\n\n"
    "def helper(): ...\n\n\ndef _private(): ...\n\n\ndef hidden(): ...\n",
    "lib/other.py": "import lib.core.parts\nimport lib.core.parts as p\nlate = 1\nalias = p.helper\n"
    "same = alias\n",
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lib", "module lib"),
        ("lib.core", "module lib.core"),
        ("lib.core.parts", "module lib.core.parts"),
        ("lib.core.parts.Tool", "class lib.core.parts.Tool"),
        ("lib.core.parts.Tool.use", "function lib.core.parts.Tool.use"),
        ("lib.core.parts.Tool.Inner", "class lib.core.parts.Tool.Inner"),
        ("lib.core.parts.Tool.Inner.size", "variable lib.core.parts.Tool.Inner.size"),
        ("lib.core.Tool", "class lib.core.parts.Tool"),
        ("lib.Tool", "class lib.core.parts.Tool"),
        ("lib.Tool.use", "function lib.core.parts.Tool.use"),
        ("lib.helper", "function lib.core.parts.helper"),
        ("lib.c", "module lib.core"),
        ("lib.c.parts.helper", "function lib.core.parts.helper"),
        ("lib.core.late", "variable lib.other.late"),
        ("lib.other.p.helper", "function lib.core.parts.helper"),
        ("lib.other.lib.core.parts.helper", "function lib.core.parts.helper"),
        ("lib.other.alias", "function lib.core.parts.helper"),
        ("lib.other.same", "function lib.core.parts.helper"),
        ("lib._private", None),
        ("lib.nothing", None),
        ("lib.core.parts.Tool.nothing", None),
        ("lib.core.nothing.more", None),
        ("elsewhere.Tool", None),
        ("lib.core.late.real", "unknown lib.other.late.real"),
    ],
)
def test_names(name: str, expected: str | None) -> None:
    assert shown(universe(DEEP).resolve(name)) == expected


def test_the_modules_on_the_way_are_told() -> None:
    found = universe(DEEP).resolve("lib.Tool")
    assert found is not None
    assert found.via == ("lib", "lib.core")


@pytest.mark.parametrize(
    ("files", "name", "expected"),
    [
        pytest.param({"lib/a.py": "x = 1\n", "lib/a/__init__.py": "y = 1\n"}, "lib.a.y", "variable lib.a.y",
                     id="a package hides a module"),
        pytest.param({"lib/a.py": "x = 1\n", "lib/a/__init__.py": "y = 1\n"}, "lib.a.x", None,
                     id="the module behind a package"),
        pytest.param({"lib/a.pyi": "y: int\n", "lib/a.py": "x = 1\n"}, "lib.a.x", "variable lib.a.x",
                     id="sources hide stubs"),
        pytest.param({"lib/a.pyi": "y: int\n"}, "lib.a.y", "variable lib.a.y", id="stubs alone"),
        pytest.param({"lib/deep/er/a.py": "x = 1\n"}, "lib.deep.er.a.x", "variable lib.deep.er.a.x",
                     id="folders without __init__"),
        pytest.param({"lib/deep/er/a.py": "x = 1\n"}, "lib.deep", "module lib.deep", id="such a folder"),
        pytest.param({"src/lib/__init__.py": "x = 1\n"}, "lib.x", "variable lib.x", id="src layout"),
        pytest.param({"py/deep/lib/__init__.py": "x = 1\n", "py/deep/lib/a.py": "y = 1\n"}, "lib.a.y",
                     "variable lib.a.y", id="a deeper root"),
        pytest.param({"lib/__init__.py": "x = 1\n", "old/lib/__init__.py": "z = 1\n"}, "lib.z", None,
                     id="the shallowest one counts"),
        pytest.param({"lib.py": "x = 1\n"}, "lib.x", "variable lib.x", id="a single module"),
        pytest.param({"lib/__init__.py": "from .f import f\n", "lib/f.py": "def f(): ...\n"}, "lib.f",
                     "function lib.f.f", id="a name that hides its own module"),
        pytest.param({"lib/__init__.py": "def f(): ...\n", "lib/f.py": "x = 1\n"}, "lib.f.x",
                     "variable lib.f.x", id="a module that a function hides, by its full name"),
        pytest.param({"lib/a.py": "from lib.b import x\n", "lib/b.py": "from lib.a import x\n"}, "lib.a.x",
                     None, id="imports in a circle"),
        pytest.param({"lib/a.py": "from lib.b import *\n", "lib/b.py": "from lib.a import *\nx = 1\n"},
                     "lib.a.x", "variable lib.b.x", id="stars in a circle"),
        pytest.param({"lib/a.py": "from lib.b import *\n", "lib/b.py": "from lib.a import *\n"}, "lib.a.x",
                     None, id="stars in a circle, nothing in it"),
        pytest.param({"lib/a.py": "x = y\ny = x\n"}, "lib.a.x", "variable lib.a.x", id="aliases in a circle"),
        pytest.param({"lib/a.py": "x = x\n"}, "lib.a.x", "variable lib.a.x", id="its own alias"),
        pytest.param({"lib/a.py": "from lib.b import *\n", "lib/b.py": "__all__ = ['_x']\n_x = y = 1\n"},
                     "lib.a._x", "variable lib.b._x", id="__all__ has a private name"),
        pytest.param({"lib/a.py": "from lib.b import *\n", "lib/b.py": "__all__ = ['_x']\n_x = y = 1\n"},
                     "lib.a.y", None, id="__all__ lacks a public name"),
        pytest.param({"lib/a.py": "from lib.b import *\n", "lib/b.py": "__all__ = names()\nx = 1\n"},
                     "lib.a.x", "variable lib.b.x", id="__all__ is computed"),
        pytest.param({"lib/a.py": "from lib.b import *\n",
                      "lib/b.py": "__all__ = ['y']\n__all__ += c.__all__\nx = 1\n"}, "lib.a.x",
                     "variable lib.b.x", id="__all__ grows"),
        pytest.param({"lib/a.py": "from lib import *\n", "lib/b.py": "x = 1\n"}, "lib.a.b", None,
                     id="a star brings no submodules"),
        pytest.param({"lib/a.py": "from lib.b import x\nfrom lib.c import x\n", "lib/b.py": "x = 1\n",
                      "lib/c.py": "x = 1\n"}, "lib.a.x", "variable lib.c.x", id="the last import counts"),
        pytest.param(
            {"lib/a.py": "try:\n    from lib.b import x\nexcept ImportError:\n    from lib.c import x\n",
             "lib/c.py": "x = 1\n"},
            "lib.a.x", "variable lib.c.x", id="the import that exists"),
        pytest.param({"lib/a.py": "import torch\nx = torch.nn\n"}, "lib.a.torch", "unknown torch",
                     id="a foreign module"),
        pytest.param({"lib/a.py": "from torch import nn as n\n"}, "lib.a.n", "unknown torch.nn",
                     id="a foreign name"),
        pytest.param({"lib/a.py": "def __getattr__(n): ...\n"}, "lib.a.any", "unknown lib.a.any",
                     id="lazily served"),
        pytest.param({"lib/a.py": "globals().update(load())\n"}, "lib.a.any", "unknown lib.a.any",
                     id="names put there at run time"),
        pytest.param({"lib/a.py": "import sys\nsys.modules[__name__] = Lazy()\n"}, "lib.a.any",
                     "unknown lib.a.any", id="a module that replaces itself"),
        pytest.param({"lib/a.py": "def f(:\n"}, "lib.a.any", "unknown lib.a.any", id="does not parse"),
        pytest.param({"lib/a.py": "try:\n    from lib.b import C as D\nexcept ImportError:\n    from lib.c import D\n",
                      "lib/b.py": "class C: ...\n", "lib/c.py": "def __getattr__(n): ...\n"}, "lib.a.D",
                     "class lib.b.C", id="a fallback that may be served"),
        pytest.param({"lib/a.py": "from lib.b import C as D\nfrom lib.c import D\n",
                      "lib/b.py": "class C: ...\n", "lib/c.py": "def __getattr__(n): ...\n"}, "lib.a.D",
                     "unknown lib.c.D", id="served, whatever was imported before"),
        pytest.param({"lib/a/__init__.py": "from ...x import y\n"}, "lib.a.y", "unknown x.y",
                     id="more dots than packages"),
    ],
)  # fmt: skip
def test_shapes_of_trees(files: dict[str, str], name: str, expected: str | None) -> None:
    first = next(iter(files))
    given = {"lib/__init__.py": "", **files} if first.startswith("lib/") else files
    assert shown(Universe((tree(given),)).resolve(name)) == expected


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("Tool", "lib.core.parts.Tool"),
        ("'Tool'", "lib.core.parts.Tool"),
        ("Tool | None", "lib.core.parts.Tool"),
        ("None | 'Tool'", "lib.core.parts.Tool"),
        ("Optional[Tool]", "lib.core.parts.Tool"),
        ("typing.Optional['Tool']", "lib.core.parts.Tool"),
        ("Union[Tool, None]", "lib.core.parts.Tool"),
        ("Annotated[Tool, 1]", "lib.core.parts.Tool"),
        ("Final[Tool]", "lib.core.parts.Tool"),
        ("ClassVar['Tool | None']", "lib.core.parts.Tool"),
        ("c.parts.Tool", "lib.core.parts.Tool"),
        ("Tool.Inner", "lib.core.parts.Tool.Inner"),
        ("Tool | int", None),
        ("list[Tool]", None),
        ("Callable[[], Tool]", None),
        ("T", None),
        ("'Tool", None),
        ("'not ('", None),
        ("1", None),
        ("", None),
        ("\0", None),
        (None, None),
    ],
)
def test_the_class_of_an_annotation(annotation: str | None, expected: str | None) -> None:
    found = universe(DEEP).annotation_class("lib", annotation)
    assert (found.name if found is not None else None) == expected


def test_trees_after_a_change_are_as_read_anew() -> None:
    before = {"lib/__init__.py": "", "lib/a.py": "x = 1\n", "lib/p/__init__.py": "", "lib/p/q.py": ""}
    changes: dict[str, str | None] = {
        "lib/a.py": None,
        "lib/a/__init__.py": "y = 1\n",
        "lib/p/__init__.py": None,
        "lib/p/q.py": "z = 1\n",
        "docs/conf.py": "w = 1\n",
    }
    after = {p: t for p, t in {**before, **changes}.items() if t is not None}
    changed, anew = tree(before).changed(changes), tree(after)
    assert changed.modules == anew.modules
    assert changed.is_package("lib.p")
    assert anew.is_package("lib.p")
    for modules in (changed, anew):
        assert shown(Universe((modules,)).resolve("lib.a.y")) == "variable lib.a.y"


def test_what_was_looked_at_is_recorded_also_when_it_is_known() -> None:
    lib = tree(DEEP)
    names = Universe((lib,))
    for _ in range(2):
        seen = lib.start_recording()
        names.resolve("lib.Tool")
        lib.stop_recording(seen)
        assert {"lib:Tool", "lib.core:Tool", "lib.core.parts:Tool"} <= seen
    untouched = lib.start_recording()
    lib.stop_recording(untouched)
    names.resolve("lib.other.late")
    assert untouched == set()
