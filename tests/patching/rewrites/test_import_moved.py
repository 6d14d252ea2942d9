from __future__ import annotations

import pytest

from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.patching.errors import NoMatch
from syncbot.patching.registry import ApiChange
from syncbot.patching.rewrites.import_moved import ImportMoved
from syncbot.patching.source import Source

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    ImportMoved(old="up.mod.Thing", new="up.elsewhere.Thing"),
    ImportMoved(old="up.mod", new="up.elsewhere"),
    ImportMoved(old="up.m.Thing", new="up.n.Thing"),
]

SYMBOL = ImportMoved(old="up.utils.Thing", new="up.things.Thing")


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
