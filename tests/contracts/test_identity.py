"""A tree compared with itself, or with what means the same, gives nothing: on random small modules."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.contracts.configured_facts import Knowledge, SiblingRule
from tests.contracts.world import engine, findings

pytestmark = pytest.mark.long

KNOWN = Knowledge((SiblingRule("engine.core.A", "run", ("stop", "go")),), ("torch.cuda.",))
NAMES = st.sampled_from(["run", "stop", "go", "token_count", "load_state"])
VALUES = st.sampled_from(
    ["1", "None", "[1]", "{1: 2}", "(1, 2)", "'engine.core.f'", "A", "f", "torch.cuda.sync()"]
)
CLASSES = ("A", "B", "C")


@st.composite
def parameters(draw: st.DrawFn) -> str:
    names = draw(st.lists(st.sampled_from(["x", "y", "z"]), unique=True, max_size=3))
    optional = draw(st.integers(0, len(names)))
    shown = [n if i < len(names) - optional else f"{n}=None" for i, n in enumerate(names)]
    if draw(st.booleans()):
        shown.append(draw(st.sampled_from(["*more", "**more", "*, key", "*, key=0"])))
    return ", ".join(shown)


@st.composite
def statement(draw: st.DrawFn) -> str:
    name, value = draw(NAMES), draw(VALUES)
    return draw(
        st.sampled_from(
            [
                f"self.{name} = {value}",
                f"return self.{name}",
                f"return {value}, {value}",
                f"self.{name}(1, x={value})",
                f"super().{name}()",
                f"if hasattr(self, '{name}'): self.{name} = {value}",
                f"f({value})",
                "raise NotImplementedError",
                "pass",
            ]
        )
    )


@st.composite
def method(draw: st.DrawFn) -> str:
    name = draw(st.one_of(NAMES, st.just("__init__")))
    decorator = draw(st.sampled_from(["", "", "", "@staticmethod\n", "@classmethod\n", "@property\n",
                                      "@abstractmethod\n"]))  # fmt: skip
    first = "" if decorator == "@staticmethod\n" else "self, "
    body = "".join(f"    {line}\n" for line in draw(st.lists(statement(), min_size=1, max_size=4)))
    coroutine = draw(st.sampled_from(["", "", "async "])) if name != "__init__" else ""
    return f"{decorator}{coroutine}def {name}({first}{draw(parameters())}):\n{body}"


@st.composite
def class_(draw: st.DrawFn, name: str, bases: tuple[str, ...]) -> str:
    base = draw(st.sampled_from(["", *bases]))
    parts = draw(st.lists(st.one_of(method(), st.builds("{} = {}\n".format, NAMES, VALUES)), max_size=4))
    body = "".join(parts) or "pass\n"
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    decorator = draw(st.sampled_from(["", "", "@dataclass\n"]))
    return f"{decorator}class {name}({base}):\n{indented}"


@st.composite
def upstream(draw: st.DrawFn) -> str:
    classes = [draw(class_(n, (*CLASSES[:i], "ABC"))) for i, n in enumerate(CLASSES)]
    function = (
        f"def f({draw(parameters())}):\n    {draw(st.sampled_from(['return 1, 2', 'pass', 'return A()']))}\n"
    )
    head = "import torch\nfrom abc import ABC, abstractmethod\nfrom dataclasses import dataclass\n"
    return "".join([head, function, *classes, f"KNOWN = {draw(VALUES)}\n"])


@st.composite
def backend(draw: st.DrawFn) -> str:
    uses = st.sampled_from(
        [
            "f(1)\n", "a, b = f(1, x=2)\n", "KNOWN.append(1)\n", "core.f = mine\n", "A.run = mine\n",
            "A(1, x=2)\n", "def read(b: B):\n    return b.token_count, b.run(1)\n", "def go(c):\n    c.load_state\n",
            "PATH = 'engine.core.A.run'\n", "core.C.run\n", "g = partial(f, x=1)\n",
            "try:\n    from engine.core import g\nexcept ImportError:\n    g = None\n",
        ]
    )  # fmt: skip
    head = (
        "from functools import partial\nfrom abc import ABC, abstractmethod\nfrom dataclasses import dataclass\n"
        "import engine.core\nfrom engine import core\nfrom engine.core import *\n"
        "from engine.core import A, B, C, KNOWN, f\ndef mine(self, x): ...\n"
    )
    own = [draw(class_(f"Mine{i}", CLASSES)) for i in range(draw(st.integers(0, 2)))]
    return "".join([head, *own, *draw(st.lists(uses, max_size=5))])


@dataclass(frozen=True)
class Pair:
    """An upstream module and a backend of it."""

    core: str
    plugin: str


PAIRS = st.builds(Pair, upstream(), backend())


@given(PAIRS)
def test_a_tree_breaks_nothing_on_the_way_to_itself(pair: Pair) -> None:
    ast.parse(pair.core), ast.parse(pair.plugin)
    assert findings(engine(pair.core), engine(pair.core), {"plugin/use.py": pair.plugin}, KNOWN) == []


@given(PAIRS)
def test_layout_and_comments_mean_nothing(pair: Pair) -> None:
    loose = "# a note\n\n" + pair.core.replace("\n", "  # note\n")
    assert findings(engine(pair.core), engine(loose), {"plugin/use.py": pair.plugin}, KNOWN) == []


@given(PAIRS)
def test_modules_that_come_beside_it_mean_nothing(pair: Pair) -> None:
    old, new = engine(pair.core), engine(pair.core, fresh="def h():\n    return 7\n")
    assert findings(old, new, {"plugin/use.py": pair.plugin}, KNOWN) == []


@given(PAIRS)
def test_a_module_that_moved_and_is_re_exported_means_nothing(pair: Pair) -> None:
    exports = "from engine.home import A, B, C, KNOWN, f\n"
    quoted = pair.core.replace("'engine.core.f'", "''"), pair.plugin.replace("core.f = mine", "pass")
    old = engine(exports, home=quoted[0])
    new = engine(exports + "x = 1\n", home=quoted[0])
    assert findings(old, new, {"plugin/use.py": quoted[1]}, KNOWN) == []


@given(upstream(), PAIRS)
def test_any_change_is_judged_without_failing(new: str, pair: Pair) -> None:
    found = findings(engine(pair.core), engine(new), {"plugin/use.py": pair.plugin}, KNOWN)
    lines = pair.plugin.count("\n")
    assert all(1 <= f.contract.place.location.line <= lines and 0 < f.ground.share <= 1 for f in found)
    assert all(f.reason and f.symbol and f.kind for f in found)
