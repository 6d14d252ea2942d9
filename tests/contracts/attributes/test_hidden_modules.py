"""Modules that their package hides behind what it imports from them under the same name."""

from __future__ import annotations

import pytest

from tests.contracts.compare import compare, rows

THING = "def thing(): ...\ndef other(): ...\n"
HIDES = "from engine.thing import thing\n"
BREAKS = ["attribute-removed thing.other breaks 2"]


def found(old: str, new: str, plugin: str, thing: str = THING) -> list[str]:
    texts = {"engine/thing.py": thing, "engine/more.py": "def thing(): ...\n"}
    before, after = ({"engine/__init__.py": package, **texts} for package in (old, new))
    return rows(compare(before, after, {"plugin/use.py": plugin}))


@pytest.mark.parametrize(
    "hides", [HIDES, "from .thing import other as thing\n", "from .thing import *\n" + HIDES]
)
@pytest.mark.parametrize(
    "use",
    [
        "import engine.thing\nengine.thing.other()\n",
        "import engine\nengine.thing.other()\n",
        "import engine.thing as t\nt.other()\n",
        "from engine import thing\nthing.other()\n",
        "import engine.thing\nx = engine.thing.other\n",
    ],
)
def test_a_module_that_its_package_newly_hides(hides: str, use: str) -> None:
    assert found("", hides, use) == BREAKS
    assert found(hides, hides, use) == found(hides, "", use) == found("", "", use) == []


def test_a_class_that_lacks_what_the_module_had() -> None:
    use = "import engine.thing\nengine.thing.other()\n"
    assert found("", HIDES, use, "class thing: ...\ndef other(): ...\n") == BREAKS
    assert found("", HIDES, use, "class thing:\n    other = 1\ndef other(): ...\n") == []


def test_a_decorator_may_give_the_function_what_the_module_had() -> None:
    use = "import engine.thing\nengine.thing.other()\n"
    assert found("", HIDES, use, "@made\n" + THING) == ["attribute-removed thing.other at-risk 2"]
    assert found("", HIDES, use, THING + "thing.other = other\n") == []


@pytest.mark.parametrize(
    "use",
    [
        pytest.param("from engine.thing import other\nother()\n", id="imported from the module"),
        pytest.param(
            "import importlib\nt = importlib.import_module('engine.thing')\nt.other()\n", id="by a string"
        ),
        pytest.param(
            "import engine, sys\nsys.modules['engine.thing'].other()\n", id="from the loaded modules"
        ),
    ],
)
def test_code_that_asks_no_package_for_the_module(use: str) -> None:
    assert found("", HIDES, use) == []


@pytest.mark.parametrize(
    "package",
    [
        # Whoever imports the module later puts it in the place of these.
        pytest.param("from engine.more import thing\n", id="of another module"),
        pytest.param("if slow():\n    from engine.thing import thing\n", id="under a condition"),
        pytest.param("def load():\n    from engine.thing import thing\n", id="in a function"),
        pytest.param("from engine import thing\n", id="the module itself"),
    ],
)
def test_a_package_that_may_not_hide_the_module(package: str) -> None:
    assert found("", package, "import engine.thing\nengine.thing.other()\n") == []
