from __future__ import annotations

from syncbot.contracts.changes import ChangeKind
from syncbot.patching.registry import ApiChange, find
from syncbot.patching.rewrites.property_to_method import PropertyToMethod

from .cases import both_ways, never

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    PropertyToMethod(base="up.mod.Thing", attribute="uva"),
]

MethodToProperty = find("method_to_property")
RULE = PropertyToMethod(base="up.buf.Buffer", attribute="uva")


def test_reads_become_calls() -> None:
    both_ways(
        RULE,
        """
        from up.buf import Buffer

        def f(b: Buffer, c):
            return b.uva[0], c.uva, Buffer(1).uva

        class Mine(Buffer):
            @property
            def uva(self):
                return super().uva
        """,
        """
        from up.buf import Buffer

        def f(b: Buffer, c):
            return b.uva()[0], c.uva, Buffer(1).uva()

        class Mine(Buffer):
            def uva(self):
                return super().uva()
        """,
    )


def test_the_other_way_round() -> None:
    both_ways(
        MethodToProperty(base="up.buf.Buffer", attribute="uva"),
        "from up.buf import Buffer\nb = Buffer()\nb.uva().x\n",
        "from up.buf import Buffer\nb = Buffer()\nb.uva.x\n",
    )


def test_assignments_and_strangers_stay() -> None:
    never(RULE, "from up.buf import Buffer\nb: Buffer = g()\nb.uva = 1\nother.uva()\nother.uva\n")


def test_they_answer_their_kinds() -> None:
    assert PropertyToMethod.answer(ApiChange(ChangeKind.ATTRIBUTE_BECAME_METHOD, "up.buf.Buffer.uva")) == RULE
    back = ApiChange(ChangeKind.METHOD_BECAME_ATTRIBUTE, "up.buf.Buffer.uva")
    assert MethodToProperty.answer(back) == RULE.mirror()
    assert PropertyToMethod.answer(ApiChange(ChangeKind.ATTRIBUTE_REMOVED, "up.buf.Buffer.uva")) is None
