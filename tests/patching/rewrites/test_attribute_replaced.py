from __future__ import annotations

import pytest

from syncbot.patching.errors import CannotRewrite
from syncbot.patching.rewrites.attribute_replaced import AttributeReplaced
from syncbot.patching.source import Source

from .cases import both_ways, never

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    AttributeReplaced(base="up.mod.Thing", before="uva", after="spec.uva"),
    AttributeReplaced(base="up.mod.Thing", before="uva", after="get_uva()"),
    AttributeReplaced(base="up.m.Thing", before="size", after="spec.size"),
]

MOVED = AttributeReplaced(base="up.mod.Thing", before="size", after="spec.size")
CALLED = AttributeReplaced(base="up.mod.Thing", before="size", after="sizes( 'a' ).get()")


def test_it_is_read_from_another_object() -> None:
    both_ways(
        MOVED,
        """
        from up.mod import Thing

        class Mine(Thing):
            def run(self, other: Thing, unknown):
                self.size = other.size + 1  # kept
                return (self).size, unknown.size
        """,
        """
        from up.mod import Thing

        class Mine(Thing):
            def run(self, other: Thing, unknown):
                self.spec.size = other.spec.size + 1  # kept
                return (self).spec.size, unknown.size
        """,
    )


def test_it_is_called() -> None:
    both_ways(
        CALLED,
        """
        from up.mod import Thing

        def run(other: Thing):
            return [other.size, f(other.size)(2)]
        """,
        """
        from up.mod import Thing

        def run(other: Thing):
            return [other.sizes('a').get(), f(other.sizes('a').get())(2)]
        """,
    )


def test_unknown_objects_stay() -> None:
    never(MOVED, "from up.mod import Thing\ndef run(other):\n    return other.size, other.spec.size\n")


def test_nothing_is_assigned_to_a_call() -> None:
    with pytest.raises(CannotRewrite, match="is assigned to"):
        CALLED.forward(Source("from up.mod import Thing\ndef run(x: Thing):\n    x.size = 1\n"))


@pytest.mark.parametrize("text", ["a + b", "a[0]", "", "1x"])
def test_only_chains(text: str) -> None:
    with pytest.raises(ValueError, match=r"dot|chain"):
        AttributeReplaced(base="up.mod.Thing", before="size", after=text)
