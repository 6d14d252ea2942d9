"""Operators registered with torch: calls of them, and implementations of the backend's own."""

from __future__ import annotations

import pytest

from syncbot.contracts.configured_facts import Knowledge, Registrar
from syncbot.contracts.operators.registrations import operators, schema_parameters
from tests.contracts.world import compare

KNOWLEDGE = Knowledge(registrars=(Registrar("lib.tools.register_op", "lib", "op_name", "op_func"),))
REGISTERED = """
from lib.tools import register_op

def _pad(x, size, fill=0):
    return x

register_op(op_name="pad", op_func=_pad, mutates_args=["x"])
"""
CALL = "import torch\n\ndef f(x):\n    return torch.ops.lib.pad(x, 3)\n"
MINE = """
import torch

@torch.library.impl("lib::pad", "Device")
def mine(x, size, fill):
    return x
"""
DECORATED = """
import torch

@torch.library.custom_op("lib::pad", mutates_args=())
def pad(x, size):
    return x
"""
SCHEMA = (
    'import torch\nlib = torch.library.Library("lib", "DEF")\nlib.define("pad(Tensor x, int{}) -> Tensor")\n'
)


@pytest.mark.parametrize(
    ("old", "new", "backend", "expected"),
    [
        pytest.param(REGISTERED, "", CALL, ["operator-removed lib::pad breaks 4"], id="removed"),
        pytest.param(
            REGISTERED,
            REGISTERED.replace('"pad"', '"pad_to"'),
            CALL,
            ["operator-renamed lib::pad breaks 4"],
            id="renamed",
        ),
        pytest.param(
            REGISTERED,
            REGISTERED.replace("fill=0", "fill"),
            CALL,
            ["parameter-required lib::pad breaks 4 fill"],
            id="parameter required",
        ),
        pytest.param(
            REGISTERED,
            REGISTERED.replace("x, size", "size, x"),
            CALL,
            ["parameter-reordered lib::pad breaks 4 x"],
            id="arguments swapped",
        ),
        pytest.param(
            REGISTERED,
            REGISTERED.replace("x, size", "x"),
            CALL.replace("3)", "size=3)"),
            ["parameter-removed lib::pad breaks 4 size"],
            id="keyword gone",
        ),
        pytest.param(
            DECORATED,
            DECORATED.replace("x, size", "x"),
            CALL.replace("pad(", "pad.default("),
            ["parameter-removed lib::pad breaks 4 1"],
            id="decorated function, named overload",
        ),
        pytest.param(
            SCHEMA.format(" size"),
            SCHEMA.format(" size, float fill"),
            CALL,
            ["parameter-added lib::pad breaks 4 fill"],
            id="schema",
        ),
        pytest.param(
            REGISTERED,
            "",
            "import torch\n\nPAD = torch.ops.lib.pad\n",
            ["operator-removed lib::pad breaks 3"],
            id="only named",
        ),
        pytest.param(
            REGISTERED,
            "",
            'import torch\n\nif hasattr(torch.ops.lib, "pad"):\n    torch.ops.lib.pad(1, 2)\n',
            ["operator-removed lib::pad at-risk 4"],
            id="tested for",
        ),
        pytest.param(
            REGISTERED,
            REGISTERED.replace("fill=0", "fill"),
            MINE + '\n@torch.library.impl("lib::pad", "Other")\ndef other(x):\n    return x\n',
            [],
            id="implementations that took it already, or never fitted",
        ),
        pytest.param(
            REGISTERED,
            REGISTERED.replace("fill=0", "fill=0, mode=1"),
            MINE,
            ["operator-changed lib::pad breaks 3"],
            id="an implementation is given more",
        ),
        pytest.param(
            "",
            REGISTERED,
            REGISTERED,
            ["operator-taken lib::pad breaks 6"],
            id="registered upstream too",
        ),
    ],
)
def test_operators(old: str, new: str, backend: str, expected: list[str]) -> None:
    assert compare(old, new, backend, KNOWLEDGE) == expected


MOVED = ({"lib/a.py": REGISTERED, "lib/b.py": ""}, {"lib/a.py": "", "lib/b.py": REGISTERED})
TWICE = ({"lib/a.py": REGISTERED, "lib/b.py": REGISTERED}, {"lib/a.py": "", "lib/b.py": REGISTERED})


@pytest.mark.parametrize(
    ("old", "new", "backend"),
    [
        pytest.param(*MOVED, CALL, id="registered in another module now"),
        pytest.param(*TWICE, CALL, id="still registered elsewhere"),
        pytest.param(REGISTERED, "", CALL + REGISTERED, id="the backend's own"),
        pytest.param(
            REGISTERED, REGISTERED.replace("fill=0", "fill=0, mode=1"), CALL, id="optional argument"
        ),
        pytest.param(REGISTERED, "", CALL.replace("ops.lib", "ops.aten"), id="another namespace"),
        pytest.param(
            REGISTERED, REGISTERED.replace("return x", "return x + 1"), CALL, id="only the body changed"
        ),
    ],
)
def test_operators_that_still_serve(old: str, new: str, backend: str) -> None:
    assert compare(old, new, backend, KNOWLEDGE) == []


def test_a_registrar_is_known_where_it_is_configured() -> None:
    assert compare(REGISTERED, "", CALL) == []


def test_the_library_that_a_registration_names_outweighs_the_namespace() -> None:
    text = 'L = Library("mine", "FRAGMENT")\nregister_op("pad", lambda x: x, target_lib=L)\n'
    (found,) = operators(text.encode(), KNOWLEDGE.registrars)
    assert (found.name, [p.name for p in found.parameters or ()]) == ("mine::pad", ["x"])


LIBRARY = """
import torch
from torch.library import Library
lib_ops = Library("lib", "FRAGMENT")
lib_ops.define("pad(Tensor x{}) -> Tensor")
"""
OUR_KERNEL = """
from lib.a import {0}

def pad(x):
    return x

{0}.impl("pad", pad, dispatch_key="PrivateUse1")
"""


def test_an_implementation_in_a_library_that_upstream_made() -> None:
    old, new = LIBRARY.format(""), LIBRARY.format(", int deep")
    assert compare(old, new, OUR_KERNEL.format("lib_ops")) == ["operator-changed lib::pad breaks 6"]
    assert compare(old, new, OUR_KERNEL.format("lib_ops").replace("x)", "x, deep=1)")) == []
    assert compare(old + "other = 1\n", new + "other = 1\n", OUR_KERNEL.format("other")) == []


def test_a_schemas_parameters() -> None:
    taken = schema_parameters("f(Tensor(a!) x, int[2] size=[1, 1], *, float? eps=None) -> (Tensor, Tensor)")
    assert [(p.name, p.kind, p.default) for p in taken] == [
        ("x", "any", None),
        ("size", "any", "[1, 1]"),
        ("eps", "key", "None"),
    ]
