"""A base that is gone is one loss: what came through it is not told again."""

from __future__ import annotations

from tests.contracts.world import findings


def test_a_member_that_its_class_still_has_is_lost_by_the_heir() -> None:
    old = "class Op:\n    def compile(self): ...\nclass Layer(Op): ...\nclass Head(Layer): ...\n"
    plugin = "from lib.a import Head\nclass Own(Head):\n    def f(self):\n        self.compile()\n"
    (told,) = findings(old, old.replace("Layer(Op)", "Layer"), plugin)
    assert told.reason == "lib.a.Layer.compile no longer exists"
    (gone,) = findings(old, old.replace("compile", "other"), plugin)
    assert gone.reason.startswith("lib.a.Op.compile no longer exists")
