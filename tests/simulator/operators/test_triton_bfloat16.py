"""Kernels in bfloat16 by Triton's interpreter: numbers, not their bits, are added and rounded."""

from __future__ import annotations

import numpy as np
import torch
from torch_npu_sim.triton.bfloat16 import rounded, widened


def bits(numbers: torch.Tensor) -> np.ndarray:
    return numbers.view(torch.int16).numpy().view(np.uint16)


def test_every_number_of_bfloat16_is_widened_as_torch_does_and_comes_back() -> None:
    every = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
    numbers = torch.from_numpy(every.view(np.int16)).view(torch.bfloat16).float()
    np.testing.assert_array_equal(widened(every), numbers.numpy())
    whole = ~np.isnan(numbers.numpy())
    np.testing.assert_array_equal(rounded(widened(every))[whole], every[whole])


def test_numbers_are_rounded_as_torch_rounds_them() -> None:
    generator = torch.Generator().manual_seed(0)
    powers = torch.randint(-30, 30, (10000,), generator=generator).float()
    numbers = torch.randn(10000, generator=generator) * 10.0**powers
    # Halfway between two: to the even one, down and up.
    halves = torch.tensor([1 + 2**-8, 1 + 3 * 2**-8, -1 - 2**-8, 0.0, float("inf"), 3.4e38])
    for values in (numbers, halves):
        np.testing.assert_array_equal(rounded(values.numpy()), bits(values.bfloat16()))
    assert np.isnan(widened(rounded(np.array([np.nan], np.float32))))
