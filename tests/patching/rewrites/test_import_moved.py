from __future__ import annotations

import pytest

from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.patching.errors import NoMatch
from syncbot.patching.registry import ApiChange
from syncbot.patching.rewrites.import_moved import ImportMoved
from syncbot.patching.source import Source

from .cases import both_ways, forward_only, never

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    ImportMoved(old="up.mod.Thing", new="up.elsewhere.Thing"),
    ImportMoved(old="up.mod", new="up.elsewhere"),
    ImportMoved(old="up.m.Thing", new="up.n.Thing"),
]

SYMBOL = ImportMoved(old="up.utils.Thing", new="up.things.Thing")
MODULE = ImportMoved(old="up.utils.mem", new="up.memory")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from up.utils import Thing\n", "from up.things import Thing\n"),
        ("from up.utils import Thing as T  # why\n", "from up.things import Thing as T  # why\n"),
        ("from up.utils import (\n    Thing,\n)\n", "from up.things import (\n    Thing,\n)\n"),
        (
            "from up.utils import Other, Thing, zeta\n",
            "from up.utils import Other, zeta\nfrom up.things import Thing\n",
        ),
        ("from up.utils import A, Thing", "from up.utils import A\nfrom up.things import Thing"),
        (
            "from up.utils import (\n    Other,  # other\n    Thing,\n    Zeta,\n)\n",
            "from up.utils import (\n    Other,  # other\n    Zeta,\n)\nfrom up.things import Thing\n",
        ),
        (
            "from up.things import Some\nfrom up.utils import Thing\n",
            "from up.things import Some, Thing\n",
        ),
        ("import up.utils\nx = up.utils.Thing(1)\n", "import up.things\nx = up.things.Thing(1)\n"),
        (
            "import up.utils\nx = up.utils.Thing(up.utils.other)\n",
            "import up.utils\nimport up.things\nx = up.things.Thing(up.utils.other)\n",
        ),
        ("import up.utils as u\nu.Thing\n", "import up.things as u\nu.Thing\n"),
        ("from up import utils\nutils.Thing\n", "from up import things as utils\nutils.Thing\n"),
        ("import up.utils\nup.utils.Thing = fake\n", "import up.things\nup.things.Thing = fake\n"),
        (
            """
            from typing import TYPE_CHECKING

            if TYPE_CHECKING:
                from up.utils import Thing

            def run(x: "Thing") -> "Thing":
                from up.utils import Thing
                return Thing(x)

            try:
                from up.utils import Thing, other
            except ImportError:
                Thing = None
            """,
            """
            from typing import TYPE_CHECKING

            if TYPE_CHECKING:
                from up.things import Thing

            def run(x: "Thing") -> "Thing":
                from up.things import Thing
                return Thing(x)

            try:
                from up.utils import other
                from up.things import Thing
            except ImportError:
                Thing = None
            """,
        ),
    ],
)
def test_a_symbol_moves(before: str, after: str) -> None:
    both_ways(SYMBOL, before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import up.utils.mem\nup.utils.mem.free()\n", "import up.memory\nup.memory.free()\n"),
        ("import up.utils.mem as m\nm.free()\n", "import up.memory as m\nm.free()\n"),
        ("import os, up.utils.mem as m\n", "import os, up.memory as m\n"),
        ("from up.utils.mem import a, b as c\n", "from up.memory import a, b as c\n"),
        ("from up.utils.mem.deep import a\n", "from up.memory.deep import a\n"),
        ("from up.utils.mem import *\n", "from up.memory import *\n"),
        ("from up.utils import mem\nmem.free()\n", "from up import memory as mem\nmem.free()\n"),
    ],
)
def test_a_module_moves(before: str, after: str) -> None:
    both_ways(MODULE, before, after)


def test_names_on_a_line_with_other_statements_stay_there() -> None:
    before = "if x: from up.utils import A, Thing; run()\n"
    after = "if x: from up.utils import A; from up.things import Thing; run()\n"
    forward_only(SYMBOL, before, after)


def test_a_comment_moves_with_its_name() -> None:
    before = "from up.utils import (\n    A,\n    Thing,  # needed\n)\n"
    after = "from up.utils import (\n    A,\n)\nfrom up.things import Thing  # needed\n"
    forward_only(SYMBOL, before, after)


@pytest.mark.parametrize(
    "code",
    [
        "from up.utils import Thing2, Thin\n",
        "from .up.utils import Thing\nfrom .utils import Thing\n",
        "from other.utils import Thing\nimport other.utils\nother.utils.Thing\n",
        "x = 'up.utils.Thing'\n# from up.utils import Thing\n",
        "up.utils.Thing\n",
        "",
    ],
)
def test_what_is_not_the_symbol_stays(code: str) -> None:
    never(SYMBOL, code)


@pytest.mark.parametrize("code", ["import up.utils.memory\n", "from up.utils.memo import mem\n"])
def test_what_is_not_the_module_stays(code: str) -> None:
    never(MODULE, code)


def test_windows_line_ends_byte_order_marks_and_form_feeds_stay() -> None:
    source = Source("\ufeff\x0cfrom up.utils import Thing\r\nx = 1\r\n")
    assert SYMBOL.forward(source) == "\ufeff\x0cfrom up.things import Thing\r\nx = 1\r\n"


def test_it_answers_moves() -> None:
    details = NameDetails(old="up.utils.Thing", new="up.things.Thing")
    change = ApiChange(ChangeKind.SYMBOL_MOVED, "up.utils.Thing", details)
    assert ImportMoved.answer(change) == SYMBOL
    assert ImportMoved.answer(ApiChange(ChangeKind.SYMBOL_REMOVED, "up.utils.Thing")) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from up.mod import base\n\nx = base.run()\n", "import down\n\nx = down.run()\n"),
        (
            "from up.mod import base as b; y = 1  # z\nx = b.run()\n",
            "import down; y = 1  # z\nx = down.run()\n",
        ),
        (
            "from up.mod import base, z\nx = base.run()\n",
            "from up.mod import z\nimport down\nx = down.run()\n",
        ),
    ],
)
def test_the_only_use_of_a_module_moves_to_a_top_module(before: str, after: str) -> None:
    rule = ImportMoved(old="up.mod.base.run", new="down.run")
    assert rule.forward(Source(before)) == after
    with pytest.raises(NoMatch):
        rule.forward(Source(after))
