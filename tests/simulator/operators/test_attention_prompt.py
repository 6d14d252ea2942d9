"""Attention of whole prompts against sums written out in float64, query by query and head by head."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import checked, close, run

PROMPT = "npu_prompt_flash_attention"
SCALE = 0.3
HALF = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)


def given(
    batch: int, heads: int, kv_heads: int, queries: int, keys: int, dtype: torch.dtype
) -> list[torch.Tensor]:
    """Query, key and value as [B, N, S, D]."""
    return [
        torch.randn(batch, of, length, 16, dtype=dtype)
        for of, length in ((heads, queries), (kv_heads, keys), (kv_heads, keys))
    ]


def attended(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    shift: torch.Tensor | None = None,
    causal: bool = False,
) -> torch.Tensor:
    output = torch.zeros(query.shape, dtype=torch.float64)
    batch, heads, length, _ = query.shape
    group = heads // key.shape[1]
    for sequence in range(batch):
        for head in range(heads):
            for token in range(length):
                end = key.shape[2] - length + token + 1 if causal else key.shape[2]
                keys = key[sequence, head // group, :end].double()
                scores = keys @ query[sequence, head, token].double() * SCALE
                if shift is not None:
                    scores = scores + shift[sequence % len(shift), head, token, :end].double()
                output[sequence, head, token] = (
                    scores.softmax(0) @ value[sequence, head // group, :end].double()
                )
    return output


def called(*tensors: torch.Tensor, heads: int, **more: Any) -> torch.Tensor:
    result: torch.Tensor = run(PROMPT, *tensors, num_heads=heads, scale_value=SCALE, **more)
    return result


@HALF
@pytest.mark.parametrize("shifts", [1, 2])
def test_a_position_bias_is_added(dtype: torch.dtype, shifts: int) -> None:
    tensors = given(2, 4, 4, 5, 6, dtype)
    shift = torch.randn(shifts, 4, 5, 6, dtype=dtype)
    close(
        called(*tensors, heads=4, input_layout="BNSD", pse_shift=shift), attended(*tensors, shift), dtype, 2
    )


@HALF
def test_layouts_say_the_same_and_heads_of_keys_are_shared(dtype: torch.dtype) -> None:
    tensors = given(2, 4, 2, 3, 3, dtype)
    exact = attended(*tensors)
    turned = [each.transpose(1, 2).contiguous() for each in tensors]
    flat = [each.flatten(2) for each in turned]
    more = {"heads": 4, "num_key_value_heads": 2}
    close(called(*tensors, input_layout="BNSD", **more), exact, dtype)
    close(called(*tensors, input_layout="BNSD_BSND", **more), exact.transpose(1, 2), dtype)
    close(called(*turned, input_layout="BSND", **more), exact.transpose(1, 2), dtype)
    close(called(*flat, **more), exact.transpose(1, 2).flatten(2), dtype)


def test_the_future_is_hidden_by_a_whole_mask_and_by_the_compressed_one() -> None:
    tensors = given(1, 2, 2, 4, 4, torch.float16)
    exact = attended(*tensors, causal=True)
    whole = torch.ones(4, 4, dtype=torch.bool).triu_(1)
    compressed = torch.ones(2048, 2048, dtype=torch.bool).triu_(1)
    for mode, mask in ((0, whole), (2, compressed), (3, compressed)):
        close(
            called(*tensors, heads=2, input_layout="BNSD", atten_mask=mask, sparse_mode=mode),
            exact,
            torch.float16,
        )


def test_lengths_leave_out_tokens_of_each_sequence() -> None:
    query, key, value = given(2, 2, 2, 4, 5, torch.float16)
    result = called(
        *(query, key, value),
        heads=2,
        input_layout="BNSD",
        actual_seq_lengths=[4, 2],
        actual_seq_lengths_kv=[5, 3],
    )
    close(result[0], attended(query[:1], key[:1], value[:1])[0], torch.float16)
    close(result[1, :, :2], attended(query[1:, :, :2], key[1:, :, :3], value[1:, :, :3])[0], torch.float16)
    assert not result[1, :, 2:].any()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"num_heads": 300}, "at most 256 heads"),
        ({"num_key_value_heads": 4}, "key has 2 heads"),
        ({"pse_shift": torch.zeros(1, 2, 4, 3, dtype=torch.float16)}, "pse_shift must be"),
        ({"pse_shift": torch.zeros(1, 4, 3, 3, dtype=torch.bfloat16)}, "dtypes must agree"),
        ({"atten_mask": torch.zeros(3, 3, dtype=torch.bool), "sparse_mode": 3}, "2048 x 2048"),
        ({"actual_seq_lengths": [4]}, "must not exceed S"),
    ],
)
def test_what_the_document_excludes_is_refused(more: dict[str, Any], said: str) -> None:
    tensors = given(1, 4, 2, 3, 3, torch.float16)
    with pytest.raises(ConstraintError, match=said):
        run(PROMPT, *tensors, **{"num_heads": 4, "num_key_value_heads": 2, "input_layout": "BNSD"} | more)


def test_it_is_as_torch_demands_of_operators() -> None:
    tensors = given(1, 4, 2, 3, 3, torch.float16)
    checked(PROMPT, (tuple(tensors), {"num_heads": 4, "num_key_value_heads": 2, "input_layout": "BNSD_BSND"}))
