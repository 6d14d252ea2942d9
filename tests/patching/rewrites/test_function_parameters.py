from __future__ import annotations

import pytest

from syncbot.patching.errors import CannotRewrite
from syncbot.patching.registry import find
from syncbot.patching.rewrites.function_parameter_added import FunctionParameterAdded
from syncbot.patching.source import Source

from .cases import both_ways

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    FunctionParameterAdded(file="a.py", function="Mine.run", parameter="spec", default="None"),
    FunctionParameterAdded(file="a.py", function="g", parameter="extra", default="0"),
]

FunctionParameterRemoved = find("function_parameter_removed")
METHOD = FunctionParameterAdded(
    file="<source>", function="Mine.run", parameter="step", default="None", after="x"
)
FUNCTION = FunctionParameterAdded(file="<source>", function="run", parameter="step", kind="key")


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        (
            METHOD,
            "class Mine:\n    def run(self, x, y=1):  # odd\n        return x\n",
            "class Mine:\n    def run(self, x, step=None, y=1):  # odd\n        return x\n",
        ),
        (
            METHOD,
            "class Mine:\n    def run(\n        self,\n        x: int,\n    ) -> int:\n        return x\n",
            "class Mine:\n    def run(\n        self,\n        x: int,\n        step=None,\n    ) -> int:\n        return x\n",
        ),
        (FUNCTION, "def run(x): return x\n", "def run(x, *, step): return x\n"),
    ],
)
def test_the_named_function_takes_it(rule: FunctionParameterAdded, before: str, after: str) -> None:
    both_ways(rule, before, after)
    both_ways(FunctionParameterRemoved(**rule.model_dump()), after, before)


def test_a_parameter_in_use_cannot_go() -> None:
    rule = FunctionParameterRemoved(file="<source>", function="run", parameter="step")
    with pytest.raises(CannotRewrite, match="run uses 'step'"):
        rule.forward(Source("def run(x, step): return x + step\n"))


def test_a_local_name_does_not_become_a_parameter() -> None:
    with pytest.raises(CannotRewrite, match="already binds the name 'step'"):
        FUNCTION.forward(Source("def run(x):\n    step = x\n    return step\n"))
