"""A derived override: signature and body from upstream, with the imports that they need."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from syncbot.deriving import model
from syncbot.deriving.model import Derivation
from syncbot.deriving.original import Original
from syncbot.deriving.write import written
from syncbot.errors import SyncbotError
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.free_names import free_names

UPSTREAM = '''\
"""The layer."""
import math
import os.path
from typing import TYPE_CHECKING

from . import tools
from .tools import scale_of as scaling

if TYPE_CHECKING:
    from .tools import Config

LIMIT = 7


class Root:
    def __init__(self, name):
        self.name = name


class Layer(Root):
    # A comment above.
    @tools.traced
    def __init__(self, name: str, size: "int", config: "Config | None" = None) -> None:
        super().__init__(name)
        self.text = """two
lines"""
        self.size = min(size, LIMIT)
        self.scale = scaling(math.sqrt(size))
        self.parts = [os.path.basename(p) for p in (name,)]

    def keep(self) -> int:
        return self.__secret

    def count(self) -> None:
        global LIMIT
        LIMIT += 1


def free(x: int) -> int:
    return tools.twice(x) + LIMIT
'''
TOOLS = """\
class Config: ...
def traced(function): return function
def scale_of(x): return x / 2
def twice(x): return 2 * x
"""
OURS = '''\
"""Ours."""

import math

from up.layer import Layer


class Mine(Layer):
    """A layer."""

    kind = "mine"  # stays


class Other(Layer):
    pass
'''
LAYER = Original("up.layer", UPSTREAM, "Layer.__init__")
YAML = """\
id: mine-init
reason: A layer of another size.
file: mine.py
name: Mine.__init__
versions: <2
edits:
  - edit: replace_call
    arguments:
      call: min(size, LIMIT)
      by: 2 * LIMIT
"""


def declared(text: str = YAML, **changes: object) -> Derivation:
    return model.parse(text).model_copy(update=changes)


def test_the_override_is_upstreams_function_with_the_edit() -> None:
    after = written(declared(), LAYER, OURS)
    body = after[after.index("    # Derived") : after.index("class Other")]
    original = UPSTREAM[UPSTREAM.index("    @tools.traced") : UPSTREAM.index("    def keep")]
    expected = original.replace("super()", "super(Layer, self)").replace("min(size, LIMIT)", "2 * LIMIT")
    assert body == f"    # Derived from upstream's function by the declaration mine-init.\n{expected}\n"
    # Nothing else but imports is touched.
    lines = after.replace(body, "").splitlines()
    added = [
        "from up import tools", "from up.layer import LIMIT", "from up.tools import scale_of as scaling",
        "import os.path",
    ]  # fmt: skip
    assert [line for line in lines if line not in added and line] == [x for x in OURS.splitlines() if x]


def test_it_runs_as_a_subclass_would(tmp_path: Path) -> None:
    """Upstream's text runs here for the test alone."""
    package = tmp_path / "up"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "layer.py").write_text(UPSTREAM)
    (package / "tools.py").write_text(TOOLS)
    (tmp_path / "mine.py").write_text(written(declared(), LAYER, OURS))
    command = "import mine; x = mine.Mine('a/b', 16); print(x.name, x.size, x.scale, x.parts, x.text)"
    said = subprocess.run(
        [sys.executable, "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert said.stdout == "a/b 14 2.0 ['b'] two\nlines\n"


def test_the_same_inputs_give_the_same_text_and_twice_is_refused() -> None:
    once = written(declared(), LAYER, OURS)
    assert written(declared(), LAYER, OURS) == once
    with pytest.raises(CannotRewrite, match=r"mine\.py has a Mine\.__init__ of its own"):
        written(declared(), LAYER, once)


def test_a_signature_that_upstream_changes_flows_through() -> None:
    older = UPSTREAM.replace('size: "int", ', 'size: "int", extra: float = 0.5, ')
    after = written(declared(), Original("up.layer", older, "Layer.__init__"), OURS)
    function = next(n for n in ast.walk(ast.parse(after)) if isinstance(n, ast.FunctionDef))
    assert [a.arg for a in function.args.args] == ["self", "name", "size", "extra", "config"]


def test_an_edit_that_no_longer_finds_its_place_is_one_clear_line() -> None:
    newer = UPSTREAM.replace("min(size, LIMIT)", "size")
    with pytest.raises(NoMatch) as caught:
        written(declared(), Original("up.layer", newer, "Layer.__init__"), OURS)
    assert str(caught.value) == (
        "derived mine-init: up.layer.Layer.__init__: edit replace_call finds no place: "
        "it does not call min(size, LIMIT)"
    )


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("keep", "__secret, which is private to Layer"),
        ("count", "assigns to a global name"),
        ("gone", "0 definitions"),
    ],
)
def test_what_only_its_own_class_can_do_is_refused(name: str, says: str) -> None:
    edits = (model.Change(edit="swap_name", arguments={"old": "self", "new": "self"}),)
    with pytest.raises(CannotRewrite, match=says):
        written(
            declared(edits=edits, name=f"Mine.{name}"), Original("up.layer", UPSTREAM, f"Layer.{name}"), OURS
        )


def test_a_name_that_means_something_else_here_is_refused() -> None:
    ours = OURS.replace("import math", "import mine.math as math")
    with pytest.raises(CannotRewrite, match=r"upstream's math is math, but mine\.py has another math"):
        written(declared(), LAYER, ours)


def test_a_name_that_nobody_knows_is_refused() -> None:
    changes = (model.Change(edit="replace_call", arguments={"call": "min", "by": "device()"}),)
    with pytest.raises(CannotRewrite, match="the edits use device"):
        written(declared(edits=changes), LAYER, OURS)


def test_what_only_checkers_see_is_quoted_and_imported_for_them_alone() -> None:
    eager = UPSTREAM.replace('"Config | None"', "Config | None").replace(
        '"""The layer."""', "from __future__ import annotations"
    )
    after = written(declared(), Original("up.layer", eager, "Layer.__init__"), OURS)
    assert 'config: "Config | None" = None' in after
    assert "if typing.TYPE_CHECKING:\n    from up.tools import Config\n" in after
    ast.parse(after)


def test_a_function_of_a_module() -> None:
    declaration = declared(
        name="ours", function="up.layer.free",
        edits=(model.Change(edit="swap_name", arguments={"old": "LIMIT", "new": "Mine.kind"}),),
    )  # fmt: skip
    after = written(declaration, Original("up.layer", UPSTREAM, "free"), OURS)
    assert after.endswith(
        "\n\n\n# Derived from upstream's function by the declaration mine-init.\n"
        "def ours(x: int) -> int:\n    return tools.twice(x) + Mine.kind\n"
    )


def test_relative_imports_of_a_package_are_its_own() -> None:
    found = Original(
        "up.deep", "from . import a\nfrom .b import c\nfrom ..d import e\n", "f", package=True
    ).origins()
    assert [o.statement() for o in found.values()] == [
        "from up.deep import a", "from up.deep.b import c", "from up.d import e",
    ]  # fmt: skip


def test_free_names_are_those_from_outside() -> None:
    text = "def f(a, b: B = D):\n    c = [x for x in a if G]\n    def g(): return c, H\n    import m\n    return m, super()\n"
    assert free_names(text) == {"B", "D", "G", "H", "super"}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("versions: <2", "versions: two", "'two' is not a version specifier"),
        ("versions: <2", "version: <2", "the nearest is 'versions'"),
        ("name: Mine.__init__", "name: run", "function: say which function of upstream run is"),
        ("edit: replace_call", "edit: replace_calls", r"edits\[0\].edit: unknown edit 'replace_calls'"),
        ("by: 2", "bye: 2", r"edits\[0\].arguments of replace_call: unknown key 'bye'; the nearest is 'by'"),
    ],
)
def test_a_mistake_is_named_with_its_key(old: str, new: str, says: str) -> None:
    with pytest.raises(SyncbotError, match=says):
        model.parse(YAML.replace(old, new), "derived/mine-init.yaml")


def test_a_declaration_leads_back_to_itself() -> None:
    assert model.parse(model.dump(declared())) == declared()
