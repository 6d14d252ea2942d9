"""Torch's demands on an operator: it keeps to its schema, and fake tensors show what it returns."""

from __future__ import annotations

import re
from pathlib import Path

import ascend_backend.ops
import pytest
import torch
from ascend_backend.ops import kv_cache
from torch._subclasses.fake_tensor import FakeTensorMode
from torch_npu_sim.constraints import ConstraintError
from torch_npu_sim.operators import implemented

from tests.backend.lane.samples import Call, samples

pytestmark = pytest.mark.usefixtures("without_rows")

SAMPLES = samples()
CALLS = [(name, number) for name, calls in SAMPLES.items() for number in range(len(calls))]
# An int among its results is what no graph can hold; it is documented for eager mode alone.
NOT_FOR_GRAPHS = {"npu_fusion_attention"}
# Documented for bfloat16 alone.
WITHOUT_FLOAT16 = {"npu_chunk_gated_delta_rule", "npu_recurrent_gated_delta_rule"}
# Arguments that are float32 beside others of any dtype, by place or name.
FLOAT32: dict[str, set[int | str]] = {
    "npu_attention_update": {0},
    "npu_quant_matmul": {2, "pertoken_scale"},
    **{name: {"g"} for name in WITHOUT_FLOAT16},
}


def used() -> set[str]:
    """The operators that the modules of ``ascend_backend.ops`` call."""
    folder = Path(ascend_backend.ops.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.py")]
    return {name for text in texts for name in re.findall(r"torch_npu\.(\w+)(?:\.default)?\(", text)}


def test_every_operator_that_is_used_has_a_reference_and_a_sample() -> None:
    assert used() == set(SAMPLES)
    assert set(SAMPLES) <= implemented()


@pytest.mark.parametrize(("name", "number"), CALLS)
def test_opcheck(name: str, number: int) -> None:
    arguments, keywords = SAMPLES[name][number]
    checks = ["test_schema", "test_autograd_registration", "test_faketensor"]
    if name not in NOT_FOR_GRAPHS:
        checks.append("test_aot_dispatch_dynamic")
    found = torch.library.opcheck(
        getattr(torch.ops.npu, name).default, arguments, keywords, test_utils=checks
    )
    assert found == dict.fromkeys(checks, "SUCCESS")


def fake(call: Call, mode: FakeTensorMode) -> Call:
    def one(value: object) -> object:
        if isinstance(value, list):
            return [one(inner) for inner in value]
        return mode.from_tensor(value) if isinstance(value, torch.Tensor) else value

    arguments, keywords = call
    return tuple(one(a) for a in arguments), {name: one(value) for name, value in keywords.items()}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in sorted(SAMPLES)
        for dtype in (torch.float16, torch.bfloat16)
        if dtype == torch.bfloat16 or name not in WITHOUT_FLOAT16
    ],
)
def test_fake_tensors_show_the_half_types_too(name: str, dtype: torch.dtype) -> None:
    def narrowed(value: object) -> object:
        if isinstance(value, list):
            return [narrowed(inner) for inner in value]
        floating = isinstance(value, torch.Tensor) and value.is_floating_point()
        return value.to(dtype) if floating and isinstance(value, torch.Tensor) else value

    arguments, keywords = SAMPLES[name][-1]
    kept = FLOAT32.get(name, set())
    given = tuple(a if place in kept else narrowed(a) for place, a in enumerate(arguments))
    call = given, {n: v if n in kept else narrowed(v) for n, v in keywords.items()}
    operator = getattr(torch.ops.npu, name)
    real = operator(*call[0], **call[1])
    with FakeTensorMode() as mode:
        faked = fake(call, mode)
        shown = operator(*faked[0], **faked[1])
    assert len(torch.utils._pytree.tree_leaves(real)) == len(torch.utils._pytree.tree_leaves(shown))
    for was, now in zip(
        torch.utils._pytree.tree_leaves(real), torch.utils._pytree.tree_leaves(shown), strict=True
    ):
        if isinstance(was, torch.Tensor):
            assert (was.shape, was.dtype, was.stride()) == (now.shape, now.dtype, now.stride())


def test_what_can_be_told_without_values_is_refused_of_fake_tensors() -> None:
    with FakeTensorMode():
        both, tokens = torch.zeros(4, 128, 2, 64), torch.ones(2, 2, 32)
        slots = torch.zeros(2, dtype=torch.int64)
        with pytest.raises(ConstraintError, match="key_cache must be contiguous"):
            kv_cache.reshape_and_cache(tokens, tokens, both[..., :32], both[..., 32:], slots)
