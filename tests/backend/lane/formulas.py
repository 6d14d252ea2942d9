"""Shared by the tests of formulas: dtypes, the resolution of each, and attention written out in float64."""

from __future__ import annotations

import pytest
import torch

DTYPES = [torch.float32, torch.float16, torch.bfloat16]
#: Relative and absolute, of inputs in that dtype.
TOLERANCE = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}

dtypes = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype).removeprefix("torch."))


def close(result: torch.Tensor, exact: torch.Tensor, dtype: torch.dtype, scale: float = 1.0) -> None:
    """Assert that a result in a dtype is the exact one, to what the dtype resolves times the scale."""
    assert result.dtype == dtype
    bound = TOLERANCE[dtype] * scale
    torch.testing.assert_close(result.double(), exact.double(), rtol=bound, atol=bound)


def attended(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    scale: float,
    causal: bool,
    window: int | None = None,
) -> torch.Tensor:
    """Attention token by token and head by head; the last query sees all keys, or the window's last ones."""
    query, key, value = query.double(), key.double(), value.double()
    output = torch.zeros(*query.shape[:2], value.shape[-1], dtype=torch.float64)
    group = query.shape[1] // key.shape[1]
    for token in range(len(query)):
        end = len(key) - len(query) + token + 1 if causal else len(key)
        seen = slice(0 if window is None else max(0, end - window), end)
        for head in range(query.shape[1]):
            scores = key[seen, head // group] @ query[token, head] * scale
            output[token, head] = scores.softmax(0) @ value[seen, head // group]
    return output
