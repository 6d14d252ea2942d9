from __future__ import annotations

import pytest
from pydantic import ValidationError

from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.call_changed import CallChanged
from syncbot.patching.source import Source

from .cases import text, unchanged

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    CallChanged(file="a.py", within="g", before="Thing(size=2, **{})", after="Thing(size=2, at=1, **{})"),
]


def changed(before: str, after: str, within: str | None = "run") -> CallChanged:
    return CallChanged(file="<source>", within=within, before=before, after=after)


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        (
            changed("make(1, size=2)", "make(1, size=2, spec=None)"),
            "def run():\n    return make(1,  size = 2) # kept\n\ndef other():\n    make(1, size=2)\n",
            "def run():\n    return make(1,  size = 2,  spec=None) # kept\n\ndef other():\n    make(1, size=2)\n",
        ),
        (
            changed("self.t.make(a, b)", "self.t.make(a, b=b)", "Mine.run"),
            "class Mine:\n    def run(self):\n        self.t.make(\n            a,  # first\n            b,\n        )\n",
            "class Mine:\n    def run(self):\n        self.t.make(\n            a,  # first\n            b=b,\n"
            "        )\n",
        ),
        (
            changed("make(a, 'x', c)", "make(a, c)", None),
            'y = [make(a, "x", c)]\n',
            "y = [make(a, c)]\n",
        ),
        (
            changed("super().run(x)", "super().run(y, x)", "Mine.run"),
            "class Mine(Base):\n    def run(self, y, x):\n        return super().run(x)\n",
            "class Mine(Base):\n    def run(self, y, x):\n        return super().run(y, x)\n",
        ),
        (changed("make(a=1)", "make()"), "def run(): make(a=1)\n", "def run(): make()\n"),
    ],
)
def test_only_the_arguments_that_differ_are_touched(rule: CallChanged, before: str, after: str) -> None:
    source = Source(text(before))
    assert rule.forward(source) == text(after)
    assert compile(text(after), "<after>", "exec")
    again = rule.backward(Source(text(after)))
    assert compile(again, "<before>", "exec")
    assert rule.mirror().mirror() == rule
    unchanged(rule, after, forward=True)
    unchanged(rule, before, forward=False)


def test_it_is_about_one_file() -> None:
    rule: Rule = changed("make(1)", "make(2)")
    assert rule.concerns("<source>")
    assert not rule.concerns("src/other.py")


@pytest.mark.parametrize("value", ["make(", "make", "x = make()"])
def test_both_texts_have_to_be_calls(value: str) -> None:
    with pytest.raises(ValidationError, match="is not"):
        changed(value, "make()")
