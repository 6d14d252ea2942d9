"""Operators with several results take those that are given as a list."""

from __future__ import annotations

import pytest
import torch
import torch_npu

FIA = torch_npu.npu_fused_infer_attention_score


def arguments() -> tuple[list[torch.Tensor], dict[str, object]]:
    query, key, value = (torch.randn(4, 2, 32, device="npu", dtype=torch.float16) for _ in range(3))
    ends = {"actual_seq_lengths": [4], "actual_seq_lengths_kv": [4]}
    return [query, key, value], {"num_heads": 2, "input_layout": "TND", "scale": 0.2, **ends}


def test_results_are_written_where_they_are_given() -> None:
    given, named = arguments()
    expected = FIA(*given, **named)[0]
    output, sums = torch.empty_like(given[0]), torch.empty(1, device="npu", dtype=torch.float32)
    FIA.out(*given, **named, out=[output, sums])
    assert torch.equal(output, expected)


def test_another_number_of_results_is_refused() -> None:
    given, named = arguments()
    with pytest.raises(TypeError, match="has 2 results, and out has 1"):
        FIA.out(*given, **named, out=[torch.empty_like(given[0])])


def test_the_rest_is_the_operator_itself_and_others_are_as_they_are() -> None:
    assert FIA.default is torch.ops.npu.npu_fused_infer_attention_score.default
    assert torch_npu.npu_swiglu is torch.ops.npu.npu_swiglu
