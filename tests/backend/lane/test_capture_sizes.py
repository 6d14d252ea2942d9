"""Sizes that are captured: as many as there are streams for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ascend_backend.compilation.capture_sizes import bound, most, spread
from hypothesis import given
from hypothesis import strategies as st
from vllm.config.compilation import CUDAGraphMode

SIZES = [1, 2, 4, *range(8, 513, 8)]


def config(layers: int, ranks: int = 1, draft: int | None = None) -> Any:
    model = SimpleNamespace(get_total_num_hidden_layers=lambda: layers)
    drafting = draft and SimpleNamespace(
        draft_model_config=SimpleNamespace(get_total_num_hidden_layers=lambda: draft)
    )
    return SimpleNamespace(
        model_config=model,
        speculative_config=drafting,
        parallel_config=SimpleNamespace(tensor_parallel_size=ranks, data_parallel_size=1),
        compilation_config=SimpleNamespace(
            cudagraph_capture_sizes=list(SIZES), post_init_cudagraph_sizes=lambda: None
        ),
    )


@given(st.lists(st.integers(1, 999), unique=True, min_size=1).map(sorted), st.integers(1, 40))
def test_sizes_are_spread_and_the_largest_stays(sizes: list[int], number: int) -> None:
    kept = spread(sizes, number)
    assert kept == sorted(set(kept))
    assert set(kept) <= set(sizes)
    assert len(kept) == min(number, len(sizes))
    assert kept[-1] == sizes[-1]
    assert number == 1 or kept[0] == sizes[0]


def test_whole_batches_are_all_captured() -> None:
    asked = config(94, ranks=8)
    assert bound(asked, CUDAGraphMode.FULL_DECODE_ONLY, {}) is None
    assert bound(asked, CUDAGraphMode.NONE, {}) is None
    assert asked.compilation_config.cudagraph_capture_sizes == SIZES


@pytest.mark.parametrize(
    ("asked", "environment", "kept"),
    [
        (config(36), {}, 47),
        (config(48, ranks=4), {}, 11),
        (config(48, ranks=4), {"HCCL_OP_EXPANSION_MODE": "AIV"}, 18),
        (config(36, draft=1), {}, 45),
    ],
)
def test_pieces_are_captured_for_as_many_sizes_as_there_are_streams(
    asked: Any, environment: dict[str, str], kept: int
) -> None:
    line = bound(asked, CUDAGraphMode.FULL_AND_PIECEWISE, environment)
    assert str(line).startswith(f"{kept} of {len(SIZES)} sizes are captured")
    assert len(asked.compilation_config.cudagraph_capture_sizes) == kept
    assert asked.compilation_config.cudagraph_capture_sizes[-1] == SIZES[-1]


def test_one_size_at_least() -> None:
    assert most(10_000, 2, {}) == 1
