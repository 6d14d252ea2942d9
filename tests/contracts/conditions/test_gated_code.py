"""Code that tests of the upstream's version turn off, wherever those tests are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import pytest
from packaging.version import Version

from syncbot.contracts.conditions import gated_code, turned_off_spans
from syncbot.contracts.conditions.gated_code import GatedCode
from syncbot.contracts.conditions.guards import VersionTests
from syncbot.contracts.configured_facts import Knowledge
from syncbot.contracts.discovery import discover
from syncbot.contracts.sources import in_memory
from tests.contracts.world import PACKAGES, comparison, engine, text

GATE = 'version_is("{version}")'
HEAD = "from engine.core import f\nfrom plugin.tools import version_is\n"


def called(plugin: str, version: str | None = None, **more: str) -> list[int]:
    """The lines of ``plugin/use.py`` on which a call of upstream is one that runs."""
    files = {"plugin/use.py": HEAD + text(plugin), **{f"plugin/{n}.py": text(t) for n, t in more.items()}}
    own = in_memory(files)
    pair = comparison(engine("def f(a): ...\n"), engine("def f(a): ...\n"), own, PACKAGES)
    wanted = None if version is None else Version(version)
    found = discover(own, pair.old, PACKAGES, Knowledge(gate=GATE), version=wanted)
    lines = {
        c.place.location.line for c in found if c.kind == "call" and c.place.location.file == "plugin/use.py"
    }
    return sorted(line - 2 for line in lines)


@pytest.mark.parametrize(
    ("plugin", "lines"),
    [
        pytest.param("if a and version_is('1.2'):\n    f(1)\nf(2)\n", [3], id="and"),
        pytest.param("if a or version_is('1.2'):\n    f(1)\n", [2], id="or"),
        pytest.param("if not (a or not version_is('1.2')):\n    f(1)\n", [], id="not or"),
        pytest.param("if not (a and version_is('1.2')):\n    f(1)\nelse:\n    f(2)\n", [2], id="not and"),
        pytest.param("x = f(1) if version_is('1.2') else f(2)\n", [1], id="expression"),
        pytest.param("x = version_is('1.2') and f(1)\n", [], id="value of and"),
        pytest.param("x = version_is('1.2') or f(1)\n", [1], id="value of or"),
        pytest.param("OLD = version_is('1.2')\nif OLD:\n    f(1)\nelse:\n    f(2)\n", [5], id="constant"),
        pytest.param("OLD = version_is('1.2')\nOLD = a\nif OLD:\n    f(1)\n", [4], id="set twice"),
        pytest.param("OLD = version_is('1.2')\ndef g(OLD):\n    if OLD:\n        f(1)\n", [4], id="parameter"),
        pytest.param("def g():\n    old = version_is('1.2')\n    if old:\n        f(1)\n", [], id="local"),
        pytest.param("def g():\n  if a:\n    old = version_is('1.2')\n    if old:\n        f(1)\n", [], id="inner local"),
        pytest.param("def g():\n  if a:\n    old = version_is('1.2')\n  else:\n    old = a\n  if old:\n    f(1)\n", [7],
                     id="set in two blocks"),
        pytest.param("@mark.skipif(not version_is('1.2'), reason='')\ndef test():\n    f(1)\n", [], id="skipped"),
        pytest.param("@skipUnless(version_is('1.2'), '')\nclass Test:\n  def test(self):\n    f(1)\n", [], id="skipped class"),
        pytest.param("@mark.skipif(version_is('1.2'), reason='')\ndef test():\n    f(1)\n", [3], id="not skipped"),
        pytest.param("@mark.usefixtures(version_is('1.2'))\ndef test():\n    f(1)\n", [3], id="marked otherwise"),
        pytest.param("def old():\n    return version_is('1.2')\nif old():\n    f(1)\n", [], id="function"),
        pytest.param("def g():\n    if not version_is('1.2'):\n        return 1\n    f(1)\n", [], id="left early"),
        pytest.param("def g():\n    if version_is('1.2'):\n        return f(1)\n    f(2)\n", [4], id="left late"),
        pytest.param("def g():\n    if not version_is('1.2'):\n        a()\n    f(1)\n", [4], id="not left"),
        pytest.param("def g():\n  old = version_is('1.2')\n  def h():\n    if old:\n      f(1)\n", [], id="local, further in"),
        pytest.param("def g():\n  if a:\n    old = version_is('1.2')\n  class C:\n    def h(self):\n"
                     "      if old:\n        f(1)\n", [], id="local of a block, further in"),
        pytest.param("OLD = version_is('1.2')\nclass C:\n  def g(self):\n    def h():\n      if OLD:\n        f(1)\n", [],
                     id="constant, further in"),
        pytest.param("def old():\n    return version_is('1.2')\nclass C:\n  def g(self):\n    if old():\n      f(1)\n", [],
                     id="function, further in"),
    ],
)  # fmt: skip
def test_tests_turn_off(plugin: str, lines: list[int]) -> None:
    assert called(plugin) == lines


@pytest.mark.parametrize(
    ("plugin", "lines"),
    [
        pytest.param("if version == '1.2':\n    f(1)\nf(2)\n", [3], id="equal"),
        pytest.param("if engine.__version__ == '1.2':\n    f(1)\n", [], id="of the package"),
        pytest.param("if engine_version in ('1.2', '1.3'):\n    f(1)\n", [], id="one of several"),
        pytest.param("if get_engine_version() == '1.2':\n    f(1)\nelse:\n    f(2)\n", [4], id="a call"),
        pytest.param("if version != '1.2':\n    f(1)\nelse:\n    f(2)\n", [2], id="another one"),
        pytest.param("match version:\n    case '1.2' | '1.3':\n        f(1)\n    case _:\n        f(2)\n", [5],
                     id="match"),
        pytest.param("match torch_version:\n    case '1.2':\n        f(1)\n", [3], id="match another package's"),
        pytest.param("match version:\n    case 'old':\n        f(1)\n", [3], id="match a word"),
        pytest.param("if torch.__version__ == '1.2':\n    f(1)\n", [2], id="another package's"),
        pytest.param("if version == other:\n    f(1)\n", [2], id="no version written"),
        pytest.param("if version >= '1.2':\n    f(1)\n", [2], id="that or later"),
        pytest.param("if name == '1.2':\n    f(1)\n", [2], id="another name"),
    ],
)  # fmt: skip
def test_what_is_named_the_version_is_compared(plugin: str, lines: list[int]) -> None:
    assert called(plugin) == lines


APPLY = "def apply(version):\n    if version == '1.2':\n        {}\n"


@pytest.mark.parametrize(
    "statement",
    ["import plugin.use", "from plugin.use import x", "from plugin import use", "from . import use"],
)  # fmt: skip
def test_a_module_that_only_such_code_imports(statement: str) -> None:
    assert called("f(1)\n", apply=APPLY.format(statement)) == []


@pytest.mark.parametrize(
    "other",
    ["import plugin.use\n", "from plugin.use import x\n", "def g():\n    from . import use\n",
     "NAMES = ['plugin.use']\n", "NAME = 'plugin.use:x'\n"],
)  # fmt: skip
def test_a_module_that_something_else_reaches(other: str) -> None:
    assert called("f(1)\n", apply=APPLY.format("import plugin.use"), other=other) == [1]


def test_a_module_that_only_such_code_names_in_a_text() -> None:
    statement = "register('Use', 'plugin.use:Use')"
    assert called("f(1)\n", apply=APPLY.format(statement)) == []
    assert called("f(1)\n", apply=APPLY.format(statement) + f"    {statement}\n") == [1]
    assert called("f(1)\n", apply=APPLY.format(statement), more="NAMES = ['plugin.use']\n") == [1]


def test_the_package_around_such_a_module_begins_elsewhere() -> None:
    more = {
        "__init__": "def register():\n    import plugin.use\n",
        "apply": APPLY.format("import plugin.old"),
        "old": "",
    }
    assert called("f(1)\n", **more) == [1]


def test_modules_behind_a_module_that_is_off() -> None:
    more = {"apply": APPLY.format("import plugin.old"), "old": "from plugin import use\n"}
    assert called("f(1)\n", **more) == []


def test_a_module_that_nothing_imports_may_be_where_it_begins() -> None:
    assert called("f(1)\n", apply=APPLY.format("pass")) == [1]


def test_constants_of_other_modules_are_followed() -> None:
    tools = "def version_is(v): ...\nOLD = version_is('1.2')\n"
    again = "from plugin.tools import OLD as OLDER\n"
    for plugin in (
        "from plugin.tools import OLD\nif OLD:\n    f(1)\n",
        "from .tools import OLD\nif OLD:\n    f(1)\n",
        "from plugin import tools\nif tools.OLD:\n    f(1)\n",
        "from plugin.again import OLDER\nif OLDER:\n    f(1)\n",
    ):
        assert called(plugin, tools=tools, again=again) == [], plugin
    assert called("from plugin.other import OLD\nif OLD:\n    f(1)\n", tools=tools, other="OLD = 1\n") == [3]


def test_the_own_test_is_true_on_its_version() -> None:
    plugin = "if version_is('1.2'):\n    f(1)\nelse:\n    f(2)\nif tools.version_is('1.2'):\n    f(3)\n"
    assert called(plugin) == [4]
    assert called(plugin, "1.2") == [2, 6]
    assert called(plugin, "1.2.0") == [2, 6]
    assert called(plugin, "1.3") == [4]
    # Nobody has configured this one.
    assert called("if is_old('1.2'):\n    f(1)\n", "1.2") == []


REACHED = """
    def helper():
        f(1)
    def deeper():
        helper()
    class Old:
        def run(self):
            f(2)
    if version_is('1.2'):
        deeper()
        Old()
"""


@pytest.mark.parametrize(
    ("more", "lines"),
    [
        pytest.param("", [], id="only there"),
        pytest.param("helper()\n", [2], id="one elsewhere"),
        pytest.param("KNOWN = {'helper': 1}\n", [2], id="in a string"),
        pytest.param("def helper():\n    f(1)\n", [2, 12], id="two of a name"),
    ],
)
def test_what_only_such_code_reaches(more: str, lines: list[int]) -> None:
    assert called(text(REACHED) + more) == lines


@pytest.mark.parametrize(("use", "lines"), [("1", []), ("inner()", [3])])
def test_a_function_inside_another_one(use: str, lines: list[int]) -> None:
    made = "def make():\n    def inner():\n        f(1)\n    if version_is('1.2'):\n        return inner\n    return {}\n"
    assert called(made.format(use)) == lines


def test_texts_are_searched_once_however_many_names_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []

    class Counted:
        def __init__(self, head: re.Pattern[bytes]) -> None:
            self.head = head

        def findall(self, source: bytes) -> list[bytes]:
            searched.append(source)
            return self.head.findall(source)

    monkeypatch.setattr(gated_code, "_HEADS", [Counted(head) for head in gated_code._HEADS])
    more = "".join(f"    f{n}()\n" for n in range(9)) + "".join(f"def f{n}():\n    f(1)\n" for n in range(9))
    assert called(text(REACHED) + more) == []
    assert len(searched) == 2


def test_what_a_decorator_gets_hold_of_may_be_called_by_it() -> None:
    plugin = "@register\ndef helper():\n    f(1)\nif version_is('1.2'):\n    helper()\n"
    assert called(plugin) == [3]
    assert called(plugin.replace("@register", "@lru_cache(None)")) == []


def test_methods_are_reached_by_upstream_too() -> None:
    files = {"plugin/use.py": text("""
        class Mine(Base):
            def _old(self):
                f(1)
            def run(self):
                if version_is('1.2'):
                    self._old()
        """)}  # fmt: skip
    backend = in_memory(files)
    place = next(iter(discover(backend, comparison({}, {}, backend, PACKAGES).old, PACKAGES)), None)
    assert place is None
    from syncbot.contracts.model import Location

    at = Location("plugin/use.py", 3, 9)
    assert GatedCode(backend, VersionTests(), lambda _: False).is_off(at)
    assert not GatedCode(backend, VersionTests(), lambda word: word == "_old").is_off(at)


def test_a_file_is_looked_through_once_for_all_states(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    real = turned_off_spans._Spans.of_block

    def counted(self: turned_off_spans._Spans, body: Sequence[ast.stmt]) -> Iterator[turned_off_spans.Span]:
        looked.append("".join(map(ast.unparse, body)))
        return real(self, body)

    monkeypatch.setattr(turned_off_spans._Spans, "of_block", counted)
    plugin = "if version_is('7.7.1'):\n    f(1)\nf(2)\n"
    assert called(plugin) == called(plugin) == [3]
    once = len(looked)
    assert once
    assert called(plugin) == [3]
    assert len(looked) == once
    # Another text, another version of the project's own test.
    assert called(plugin.replace("f(2)", "f(3)")) == [3]
    assert called(plugin, "7.7.1") == [2, 3]
    assert len(looked) > once


def test_what_a_function_says_that_the_plugin_defines_for_it() -> None:
    least = "def at_least(v):\n    return Version(engine.__version__) >= Version(v)\n"
    use = "from plugin.more import at_least\nif at_least('1.2'):\n    f(1)\nelse:\n    f(2)\n"
    assert called(use, "1.9", more=least) == [3]
    assert called(use, "1.1", more=least) == [5]
    # Where nobody knows the version both may run.
    assert called(use, None, more=least) == [3, 5]


@pytest.mark.parametrize(
    ("head", "test", "lines"),
    [
        ("from engine import __version__ as HERE\n", "HERE < '1.5'", [5]),
        ("from engine.core import __version__ as HERE\n", "HERE < '1.5'", [5]),
        ("from engine import __version__\n", "Version(__version__) < Version('1.5')", [5]),
        ("from engine import __version__ as HERE\n", "not HERE >= '1.5'", [5]),
        ("from torch import __version__ as HERE\n", "HERE < '1.5'", [3, 5]),
        ("from engine import version as HERE\n", "HERE < '1.5'", [3, 5]),
        ("from engine import __version__ as HERE\n", "other < '1.5'", [3, 5]),
    ],
)
def test_the_name_by_which_the_version_is_imported(head: str, test: str, lines: list[int]) -> None:
    plugin = f"{head}if {test}:\n    f(1)\nelse:\n    f(2)\n"
    assert called(plugin, "1.9") == lines
