"""No reference is without a test that names it, and each takes what its schema gives."""

from __future__ import annotations

import inspect
from pathlib import Path

from torch_npu_sim.operators import implemented, kernels

from tests.simulator.operators.running import operator

HERE = Path(__file__).parent
LANE = HERE.parents[1] / "backend" / "lane"


def test_every_reference_is_named_in_a_test() -> None:
    texts = [path.read_text(encoding="utf-8") for folder in (HERE, LANE) for path in folder.glob("*.py")]
    text = "\n".join(texts)
    # Overloads and workspaces are made of the name of their operator.
    made = ("_get_max_workspace", ".out")
    plain = {name for name in implemented() if not name.endswith(made)}
    assert len(plain) > 50
    assert {name for name in plain if f'"{name}"' not in text} == set()


def test_every_reference_takes_what_its_schema_gives() -> None:
    checked = 0
    for name in implemented():
        arguments = operator(name)._schema.arguments
        for function in kernels(name):
            signature = inspect.signature(function)
            given = [None for argument in arguments if not argument.kwarg_only]
            signature.bind(*given, **{argument.name: None for argument in arguments if argument.kwarg_only})
            # torch leaves out what has the schema's default.
            for argument in arguments:
                own = signature.parameters.get(argument.name)
                if own is None or not argument.has_default_value():
                    continue
                wanted = argument.default_value
                same = own.default == (tuple(wanted) if isinstance(wanted, list) else wanted)
                assert same, f"{name}: {argument.name} is {wanted} by the schema, {own.default} here"
                checked += 1
    assert checked > 100
