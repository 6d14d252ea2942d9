"""Operators on tensors of the device: results are there, arguments that are returned stay the same, the host's are refused."""

from __future__ import annotations

import pytest
import torch
from torch_npu_sim.operators import calls

from tests.simulator.operators.running import operator
from tests.simulator.operators.test_attention import ATB, atb_call


def test_results_are_on_the_device_of_the_arguments() -> None:
    x, gamma = torch.randn(3, 8, device="npu:1"), torch.randn(8, device="npu:1")
    for result in operator("npu_rms_norm")(x, gamma):
        assert result.device == torch.device("npu:1")


def test_an_argument_that_is_returned_is_the_one_given() -> None:
    target, updates = torch.zeros(4, 6, device="npu"), torch.randn(1, 6)
    found = operator("npu_scatter_nd_update_")(target, torch.tensor([[2]], device="npu"), updates.to("npu"))
    assert found is target
    assert torch.equal(target[2].cpu(), updates[0])


def test_a_tensor_of_the_host_is_refused_with_the_operators_name() -> None:
    x = torch.randn(3, 8, device="npu")
    with pytest.raises(RuntimeError, match="npu_rms_norm: Expected all tensors to be on the same device"):
        operator("npu_rms_norm")(x, torch.randn(8))
    with pytest.raises(NotImplementedError, match="npu_rms_norm"):
        operator("npu_rms_norm")(torch.randn(3, 8), torch.randn(8))


def test_lengths_of_the_host_are_taken_where_an_operator_has_them() -> None:
    *before, lengths, out = atb_call()[1][0]
    given = [tensor.to("npu") if isinstance(tensor, torch.Tensor) else tensor for tensor in before]
    one, other = out.to("npu"), out.to("npu")
    operator(ATB)(*given, lengths, one)
    operator(ATB)(*given, lengths.to("npu"), other)
    assert torch.equal(one.cpu(), other.cpu())
    assert one.cpu().any()


def test_calls_of_another_namespace_are_counted_by_it() -> None:
    calls.clear()
    x, gamma = torch.randn(3, 8, device="npu"), torch.randn(8, device="npu")
    operator("npu_rms_norm")(x, gamma)
    operator("_C_ascend::npu_gemma_rms_norm")(x, gamma)
    assert calls == {"npu_rms_norm": 1, "_C_ascend::npu_gemma_rms_norm": 1}


def test_an_operator_without_a_reference_says_what_it_would_need() -> None:
    with pytest.raises(
        NotImplementedError, match=r"no reference implementation of npu_gemma_rms_norm; .*Tensor gamma"
    ):
        operator("npu_gemma_rms_norm")(torch.randn(3, 8, device="npu"), torch.randn(8, device="npu"))
