from __future__ import annotations

import pytest

from syncbot.patching.errors import CannotRewrite
from syncbot.patching.rewrites.attribute_replaced import AttributeReplaced
from syncbot.patching.source import Source

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    AttributeReplaced(base="up.mod.Thing", before="uva", after="spec.uva"),
    AttributeReplaced(base="up.mod.Thing", before="uva", after="get_uva()"),
    AttributeReplaced(base="up.m.Thing", before="size", after="spec.size"),
]

CALLED = AttributeReplaced(base="up.mod.Thing", before="size", after="sizes( 'a' ).get()")


def test_nothing_is_assigned_to_a_call() -> None:
    with pytest.raises(CannotRewrite, match="is assigned to"):
        CALLED.forward(Source("from up.mod import Thing\ndef run(x: Thing):\n    x.size = 1\n"))


@pytest.mark.parametrize("text", ["a + b", "a[0]", "", "1x"])
def test_only_chains(text: str) -> None:
    with pytest.raises(ValueError, match=r"dot|chain"):
        AttributeReplaced(base="up.mod.Thing", before="size", after=text)
