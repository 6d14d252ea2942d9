"""Kernels that the backend launches on a grid."""

from __future__ import annotations

import pytest

from syncbot.contracts.configured_facts import Knowledge
from tests.contracts.world import compare

KERNEL = """
import triton

@triton.jit
def copy(source, target, size, BLOCK: tl.constexpr):
    pass
"""
LAUNCH = "from lib.a import copy\n\ndef f(x, y, grid):\n    copy[grid](x, y, 8, BLOCK=64, num_warps=4)\n"


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param("size, BLOCK", ["parameter-added lib.a.copy breaks 4 stride"], id="parameter added"),
        pytest.param("BLOCK", ["parameter-added lib.a.copy breaks 4 stride"], id="parameter put in between"),
    ],
)
def test_a_parameter_more(new: str, expected: list[str]) -> None:
    assert compare(KERNEL, KERNEL.replace(new, f"stride, {new}"), LAUNCH) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("BLOCK:", "BLOCK_SIZE:", "parameter-renamed lib.a.copy breaks 4 BLOCK"),
        ("source, target", "target, source", "parameter-reordered lib.a.copy breaks 4 source"),
        ("target, size, ", "target, ", "parameter-removed lib.a.copy breaks 4 3"),
    ],
)
def test_other_parameters(old: str, new: str, expected: str) -> None:
    launch = LAUNCH.replace("BLOCK=64", "64") if expected.endswith(" 3") else LAUNCH
    found = compare(KERNEL, KERNEL.replace(old, new), launch)
    assert expected in found


@pytest.mark.parametrize(
    ("old", "new", "launch"),
    [
        pytest.param(KERNEL, KERNEL.replace("size,", "size, stride=1,"), LAUNCH, id="optional parameter"),
        pytest.param(
            KERNEL,
            KERNEL.replace("@triton.jit", '@triton.heuristics({"EVEN": even})\n@triton.jit').replace(
                "BLOCK:", "EVEN: tl.constexpr, BLOCK:"
            ),
            LAUNCH,
            id="filled by heuristics",
        ),
        pytest.param(
            KERNEL.replace("@triton.jit", "@cached"),
            KERNEL.replace("@triton.jit", "@cached").replace("size,", "size, stride,"),
            LAUNCH,
            id="no kernel",
        ),
        pytest.param(
            KERNEL,
            KERNEL.replace("size,", "size, stride,"),
            LAUNCH.replace("8, BLOCK=64", "*sizes, **options"),
            id="arguments that nobody can count",
        ),
    ],
)
def test_launches_that_still_bind(old: str, new: str, launch: str) -> None:
    assert compare(old, new, launch) == []


def test_what_makes_a_kernel_is_configured() -> None:
    old = KERNEL.replace("triton.jit", "my.kernel(fast=True)")
    new = old.replace("size,", "size, stride,")
    assert compare(old, new, LAUNCH, Knowledge(kernel_decorators=("my.kernel",))) == [
        "parameter-added lib.a.copy breaks 4 stride"
    ]
