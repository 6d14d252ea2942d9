from __future__ import annotations

from syncbot.contracts.changes import ChangeKind, ParameterDetails
from syncbot.patching.registry import ApiChange, find

OverrideParameterRemoved = find("override_parameter_removed")
RULE = OverrideParameterRemoved(
    base="up.mm.Encoder", method="__init__", parameter="config", default="None", pass_to_super=True
)


def test_it_answers_overrides_only() -> None:
    symbol, details = (
        "up.mm.Encoder.__init__",
        ParameterDetails(parameter="config", method="f", default="None"),
    )
    change = ApiChange(ChangeKind.PARAMETER_REMOVED, symbol, details, "override")
    behind_self = {"pass_to_super": False, "after": "self"}
    assert OverrideParameterRemoved.answer(change) == RULE.model_copy(update=behind_self)
    added = ApiChange(ChangeKind.PARAMETER_ADDED, symbol, details, "override")
    assert OverrideParameterRemoved.answer(added) is None
