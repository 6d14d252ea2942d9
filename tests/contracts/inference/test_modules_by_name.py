"""Modules that are asked for by their name."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD, NEW = "gone = 1\ndef f(x, y=1): ...\n", "kept = 1\ndef f(x): ...\n"
USE = "import importlib, sys\nfrom importlib import import_module\ndef g():\n    {}\n"


@pytest.mark.parametrize(
    "module",
    [
        "importlib.import_module('lib.a')",
        "import_module('lib.a')",
        "sys.modules['lib.a']",
        "sys.modules.get('lib.a')",
    ],
)
def test_what_is_asked_of_the_module(module: str) -> None:
    gone = ["attribute-removed lib.a.gone breaks 4 gone"]
    assert compare(OLD, NEW, USE.format(f"{module}.gone")) == gone
    assert compare(OLD, NEW, USE.format(f"m = {module}; getattr(m, 'gone')")) == gone
    assert compare(OLD, NEW, USE.format(f"{module}.f(1, y=2)")) == ["parameter-removed lib.a.f breaks 4 y"]


NAMED = "NAME = 'lib.a'\ndef load(){}:\n    return importlib.import_module(NAME)\n"


@pytest.mark.parametrize("annotation", ["", " -> Any", " -> types.ModuleType"])
def test_a_function_that_gives_the_module_of_a_constant(annotation: str) -> None:
    plugin = USE.format("m = load(); m.gone") + NAMED.format(annotation)
    assert compare(OLD, NEW, plugin) == ["attribute-removed lib.a.gone breaks 4 gone"]
    needed = plugin.replace(
        "m.gone", "x = getattr(m, 'gone', None)\n    if x is None:\n        raise RuntimeError"
    )
    assert compare(OLD, NEW, needed) == ["attribute-removed lib.a.gone breaks 4 gone"]
    for other in ("NAME = 'other'\n", "def more(NAME): ...\nNAME = name()\n"):
        assert compare(OLD, NEW, plugin.replace("NAME = 'lib.a'\n", f"NAME = 'lib.a'\n{other}")) == []
    hidden = plugin.replace("def load(", "def load(NAME='lib.b', ")
    assert compare(OLD, NEW, hidden) == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("import_module('lib.a').kept", id="still there"),
        pytest.param("import_module('.a', 'plugin').gone", id="a relative name"),
        pytest.param("import_module(name).gone", id="any module"),
        pytest.param("table['lib.a'].gone; other.modules['lib.a'].gone", id="another table"),
        pytest.param("getattr(import_module('lib.a'), 'gone', None)", id="asked for"),
    ],
)
def test_what_is_asked_of_something_else(body: str) -> None:
    assert not [row for row in compare(OLD, NEW, USE.format(body)) if "breaks" in row]


def test_a_module_that_may_not_be_loaded() -> None:
    old, new = {"lib/a.py": OLD, "lib/b.py": OLD}, {"lib/a.py": OLD}
    told = ["symbol-removed lib.b {} 4"]
    assert compare(old, new, USE.format("sys.modules.get('lib.b')")) == [told[0].format("at-risk")]
    assert compare(old, new, USE.format("sys.modules.pop('lib.b', None)")) == [told[0].format("at-risk")]
    assert compare(old, new, USE.format("sys.modules['lib.b']")) == [told[0].format("breaks")]
