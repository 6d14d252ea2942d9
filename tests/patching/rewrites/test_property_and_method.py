from __future__ import annotations

from syncbot.contracts.changes import ChangeKind
from syncbot.patching.registry import ApiChange, find
from syncbot.patching.rewrites.property_to_method import PropertyToMethod

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    PropertyToMethod(base="up.mod.Thing", attribute="uva"),
]

MethodToProperty = find("method_to_property")
RULE = PropertyToMethod(base="up.buf.Buffer", attribute="uva")


def test_they_answer_their_kinds() -> None:
    assert PropertyToMethod.answer(ApiChange(ChangeKind.ATTRIBUTE_BECAME_METHOD, "up.buf.Buffer.uva")) == RULE
    back = ApiChange(ChangeKind.METHOD_BECAME_ATTRIBUTE, "up.buf.Buffer.uva")
    assert MethodToProperty.answer(back) == RULE.mirror()
    assert PropertyToMethod.answer(ApiChange(ChangeKind.ATTRIBUTE_REMOVED, "up.buf.Buffer.uva")) is None
