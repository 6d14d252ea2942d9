from __future__ import annotations

import pytest

from syncbot.contracts.changes import ChangeKind, ParameterDetails
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import ApiChange
from syncbot.patching.rewrites.override_parameter_added import OverrideParameterAdded
from syncbot.patching.source import Source

from .cases import text

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    OverrideParameterAdded(base="up.mod.Thing", method="run", parameter="extra", default="None"),
    OverrideParameterAdded(
        base="up.mod.Thing", method="run", parameter="extra", default="0", kind="key", pass_to_super=True
    ),
    OverrideParameterAdded(
        base="up.m.Thing", method="run", parameter="extra", default="0", annotation="int", after="self"
    ),
]

SIZES = OverrideParameterAdded(base="up.attention.Base", method="sizes", parameter="spec", default="None")


@pytest.mark.parametrize(
    ("path", "listed"),
    [("src/mine/v2/run.py", True), ("mine/v2/run.py", True), ("v2/run.py", True), ("lib/mine/v2/run.py", True),
     ("mine/run.py", False), ("mine/v1/run.py", False)],
)  # fmt: skip
def test_a_listed_class_is_the_one_of_its_module(path: str, listed: bool) -> None:
    rule = SIZES.model_copy(update={"classes": ("mine.v2.run.Mine",)})
    code = "from up.other import Runner\nclass Mine(Runner):\n    def sizes(self): ...\n"
    if listed:
        assert rule.forward(Source(code, path)) == code.replace("(self)", "(self, spec=None)")
    else:
        with pytest.raises(NoMatch):
            rule.forward(Source(code, path))


def test_only_files_that_name_one_of_the_classes_are_parsed() -> None:
    rule = SIZES.model_copy(update={"classes": ("mine.v2.run.Mine",)})
    for name in ("Base", "Mine"):
        assert rule.may_change("a.py", f"class X({name}):\n    def sizes(self): ...\n", forward=True)
    assert not rule.may_change("a.py", "class X(Other):\n    def sizes(self): ...\n", forward=True)


def test_a_required_parameter_that_is_used_needs_an_author() -> None:
    rule = SIZES.model_copy(update={"default": None})
    code = "from up.attention import Base\nclass Mine(Base):\n    def sizes(self, spec): return spec\n"
    with pytest.raises(CannotRewrite, match="no default"):
        rule.backward(Source(code))


def test_it_answers_overrides_only() -> None:
    details = ParameterDetails(parameter="spec", method="sizes", base="up.attention.Base", default="None")
    change = ApiChange(ChangeKind.PARAMETER_ADDED, "up.attention.Base.sizes", details, "override")
    assert OverrideParameterAdded.answer(change) == SIZES.model_copy(update={"after": "self"})
    call = ApiChange(ChangeKind.PARAMETER_ADDED, "up.attention.Base.sizes", details, "call")
    assert OverrideParameterAdded.answer(call) is None


def test_a_file_that_is_no_python_is_named() -> None:
    with pytest.raises(CannotRewrite, match=r"odd\.py:1: not valid Python"):
        SIZES.forward(Source(text("def sizes(:\n"), "odd.py"))
