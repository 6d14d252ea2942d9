"""Dotted names in strings: those that the upstream tree has, and no others."""

from __future__ import annotations

import pytest

from syncbot.contracts.changes import NameDetails
from syncbot.contracts.discovery import discover
from syncbot.contracts.sources import in_memory
from tests.contracts.compare import PACKAGES, compare, engine, rows, told
from tests.contracts.world import comparison

TOOL = "class Tool:\n    def run(self):\n        return 1\n    def stop(self):\n        return 2\n"


@pytest.mark.parametrize(
    ("plugin", "expected"),
    [
        pytest.param("PATH = 'engine.core.Tool'\n", ["symbol-removed core.Tool breaks 1"], id="class"),
        pytest.param("PATH = 'engine.core:Tool'\n", ["symbol-removed core.Tool breaks 1"], id="entry point"),
        pytest.param("PATH = 'engine.core.Tool.run'\n",
                     ["symbol-removed core.Tool.run breaks 1"], id="method"),
        pytest.param("known = {\n    'tool': 'engine.core.Tool',\n}\n", ["symbol-removed core.Tool breaks 2"],
                     id="registry"),
        pytest.param("from unittest import mock\ndef test():\n    with mock.patch('engine.core.Tool'):\n"
                     "        pass\n", ["symbol-removed core.Tool breaks 3"], id="mock"),
        pytest.param("'engine.core.Tool'\n", [], id="documentation"),
        pytest.param("log = logging.getLogger('engine.core.Tool')\n", [], id="a logger's name"),
        pytest.param("log = load('engine.core.Tool')\n", ["symbol-removed core.Tool breaks 1"], id="given on"),
        pytest.param("# 'engine.core.Tool'\n", [], id="comment"),
        pytest.param("TEXT = 'see engine.core.Tool'\n", [], id="within a sentence"),
        pytest.param("PATH = 'engines.core.Tool'\n", [], id="another package"),
        pytest.param("PATH = 'engine.core.Other'\n", [], id="never was there"),
        pytest.param("PATH = 'engine'\n", [], id="a word"),
        pytest.param("PATH = b'engine.core.Tool'\n", [], id="bytes"),
        pytest.param("from importlib.util import find_spec\nNEW = find_spec('engine.core.Tool') is None\n",
                     ["symbol-removed core.Tool at-risk 2"], id="asked for"),
        pytest.param("import sys\nNEW = 'engine.core.Tool' not in sys.modules\n",
                     ["symbol-removed core.Tool at-risk 2"], id="asked for in sys.modules"),
        pytest.param("NEW = 'engine.core.Tool' not in names\n",
                     ["symbol-removed core.Tool breaks 1"], id="looked for elsewhere"),
        pytest.param("if version_is('1.2'):\n    PATH = 'engine.core.Tool'\n", [], id="for another version"),
        pytest.param("for path in ('engine.core.Tool', 'other.Tool'):\n    try:\n        m = load(path)\n        break\n"
                     "    except ImportError:\n        continue\n", ["symbol-removed core.Tool at-risk 1"],
                     id="one of several that are tried"),
        pytest.param("def f():\n    names = ['engine.core.Tool', 'other.Tool']\n    for path in names:\n        try:\n"
                     "            return load(path)\n        except Exception:\n            pass\n",
                     ["symbol-removed core.Tool at-risk 2"], id="a list that is tried"),
        pytest.param("ALL = ('engine.core.Tool', 'other.Tool')\ndef f():\n    for path in ALL:\n        try:\n"
                     "            return load(path)\n        except ModuleNotFoundError:\n            pass\n",
                     ["symbol-removed core.Tool at-risk 1"], id="a constant that is tried"),
        pytest.param("M = next((m for m in ('engine.core.Tool', 'other.Tool') if find_spec(m)), None)\n",
                     ["symbol-removed core.Tool at-risk 1"], id="one of several that are asked for"),
        pytest.param("try:\n    m = load('engine.core.Tool')\nexcept ImportError:\n    m = None\n",
                     ["symbol-removed core.Tool at-risk 2"], id="caught"),
        pytest.param("for path in ('engine.core.Tool', 'other.Tool'):\n    try:\n        m = load(path)\n"
                     "    except ImportError:\n        raise\n", ["symbol-removed core.Tool breaks 1"],
                     id="one of several that are all needed"),
        pytest.param("for path in ('engine.core.Tool', 'other.Tool'):\n    register(path)\n",
                     ["symbol-removed core.Tool breaks 1"], id="each of several is used"),
    ],
)  # fmt: skip
def test_strings_that_name_what_is_gone(plugin: str, expected: list[str]) -> None:
    assert told(TOOL, "", plugin) == expected


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(TOOL + "x = 1\n", id="still there"),
        pytest.param("from engine.other import Tool\n", id="re-exported"),
        pytest.param("def __getattr__(name):\n    return {'Tool': 1}[name]\n", id="served by the module"),
        pytest.param("class Tool:\n", id="cannot be parsed"),
    ],
)
def test_strings_that_name_what_is_there(new: str) -> None:
    found = compare(engine(TOOL), engine(new, other=TOOL), {"plugin/use.py": "PATH = 'engine.core.Tool'\n"})
    assert found == []


def test_the_new_home_is_told() -> None:
    new = engine("", other=TOOL)
    (finding,) = compare(engine(TOOL), new, {"plugin/use.py": "PATH = 'engine.core:Tool'\n"})
    assert rows([finding]) == ["symbol-moved core.Tool breaks 1"]
    assert finding.details == NameDetails(old="engine.core.Tool", new="engine.other.Tool")


def test_the_targets_of_patch_calls_are_more_certain() -> None:
    plugin = "import mock\nPATH = 'engine.core.Tool'\n@mock.patch('engine.core.Tool')\ndef test(tool): ...\n"
    plain, patched = compare(engine(TOOL), engine(""), {"plugin/use.py": plugin})
    assert plain.ground.share < patched.ground.share


def test_a_module_is_named_too() -> None:
    old, new = engine("", other=TOOL), engine("", another=TOOL)
    found = compare(old, new, {"plugin/use.py": "PATH = 'engine.other'\n"})
    assert rows(found) == ["symbol-moved other breaks 1"]
    backend = in_memory({"plugin/use.py": "PATH = 'engine.other'\n"})
    contracts = discover(backend, comparison(old, new, backend, PACKAGES).old, PACKAGES)
    assert [(c.kind, c.symbol) for c in contracts] == [("string", "engine.other")]
