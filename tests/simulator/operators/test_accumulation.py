"""The product of ATB's warm-up."""

from __future__ import annotations

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import checked, run


def test_a_product_is_added_in_float32() -> None:
    x, weight, total = torch.randn(6, 3).half(), torch.randn(6, 4).half(), torch.randn(3, 4)
    exact = total.double() + x.double().T @ weight.double()
    run("_npu_matmul_add_fp32", x, weight, total)
    torch.testing.assert_close(total.double(), exact, rtol=1e-5, atol=1e-5)
    with pytest.raises(ConstraintError, match=r"x must be \[K, M\]"):
        run("_npu_matmul_add_fp32", x, weight[:5], total)


def test_opcheck() -> None:
    checked("_npu_matmul_add_fp32", ((torch.randn(6, 3), torch.randn(6, 4), torch.zeros(3, 4)), {}))
