from __future__ import annotations

import pytest

from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.patching.registry import ApiChange
from syncbot.patching.rewrites.string_renamed import StringRenamed

from .cases import both_ways, never

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    StringRenamed(old="up.mod.Thing", new="up.elsewhere.Thing"),
    StringRenamed(old="up.m.Thing", new="up.n.Thing"),
]

RULE = StringRenamed(old="up.mod.Old", new="up.other.New")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 'up.mod.Old'\n", "x = 'up.other.New'\n"),
        ('f(r"up.mod.Old.method", b)\n', 'f(r"up.other.New.method", b)\n'),
        ("x = '''up.mod.Old:factory'''\n", "x = '''up.other.New:factory'''\n"),
    ],
)
def test_strings_that_are_the_name(before: str, after: str) -> None:
    both_ways(RULE, before, after)


@pytest.mark.parametrize(
    "code", ["x = 'up.mod.Older'\n", "x = 'see up.mod.Old'\n", "up.mod.Old  # up.mod.Old\n"]
)
def test_other_texts_stay(code: str) -> None:
    never(RULE, code)


def test_questions_stay_beside_other_strings() -> None:
    both_ways(
        RULE,
        """
        OLD = util.find_spec("up.mod.Old") is not None or "up.mod.Old" in sys.modules
        PATH, KNOWN = "up.mod.Old", "up.mod.Old" in names
        """,
        """
        OLD = util.find_spec("up.mod.Old") is not None or "up.mod.Old" in sys.modules
        PATH, KNOWN = "up.other.New", "up.other.New" in names
        """,
    )
    never(RULE, "import sys\nOLD = 'up.mod.Old' in sys.modules\n")


def test_it_answers_strings_only() -> None:
    details = NameDetails(old="up.mod.Old", new="up.other.New")
    assert StringRenamed.answer(ApiChange(ChangeKind.SYMBOL_MOVED, "up.mod.Old", details, "string")) == RULE
    assert StringRenamed.answer(ApiChange(ChangeKind.SYMBOL_MOVED, "up.mod.Old", details, "import")) is None
