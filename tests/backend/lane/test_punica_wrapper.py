"""Products with adapters are those of each row's own adapter, whatever rows pad the batch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from ascend_backend.lora.punica_wrapper import NPUPunicaWrapper

ROWS, INPUTS, RANK, SLOTS = 7, 12, 4, 3
WIDTHS = (10, 6)
#: Numbers of slots; the last two rows pad the batch.
NUMBERS = [0, -1, 2, 2, 1, 9, -1]


def wrapper(numbers: list[int]) -> Any:
    made = NPUPunicaWrapper(16, 4, torch.device("npu"))
    for indices in (made._token_lora_indices, made._sampler_indices):
        indices[: len(numbers)] = torch.tensor(numbers)
    # What the batch has without its padding.
    made.indices_len[:] = [5, 5, 5, 5]
    return made


def expected(x: torch.Tensor, first: torch.Tensor, second: torch.Tensor, scale: float) -> torch.Tensor:
    rows = []
    for row, number in zip(x.double(), NUMBERS, strict=True):
        if number in range(SLOTS):
            rows.append(second[number, 0].double() @ (first[number, 0].double() @ row) * scale)
        else:
            rows.append(torch.zeros(second.shape[2], dtype=torch.float64))
    return torch.stack(rows).float()


@pytest.fixture
def given(seed: None) -> tuple[torch.Tensor, list[torch.Tensor], list[torch.Tensor]]:
    first = [torch.randn(SLOTS, 1, RANK, INPUTS) for _ in WIDTHS]
    second = [torch.randn(SLOTS, 1, width, RANK) for width in WIDTHS]
    return torch.randn(ROWS, INPUTS), first, second


def test_a_linear_layer_of_several_slices(given: Any) -> None:
    x, first, second = given
    y = torch.randn(ROWS, sum(WIDTHS))
    wanted = y + torch.cat([expected(x, a, b, 0.5) for a, b in zip(first, second, strict=True)], dim=1)
    wrapper(NUMBERS).add_lora_linear(y, x, tuple(first), tuple(second), 0.5, WIDTHS)
    torch.testing.assert_close(y, wanted, atol=1e-4, rtol=1e-4)


def test_logits_that_are_padded_wider_than_the_adapter(given: Any) -> None:
    x, (first, _), (second, _) = given
    y = torch.randn(ROWS, WIDTHS[0] + 3)
    wanted = y.clone()
    wanted[:, : WIDTHS[0]] += expected(x, first, second, 2.0)
    wrapper(NUMBERS).add_lora_logits(y, x, first, second, 2.0)
    torch.testing.assert_close(y, wanted, atol=1e-4, rtol=1e-4)


def test_an_embedding_sets_the_rows_with_an_adapter_alone(given: Any) -> None:
    _, _, (second, _) = given
    inner, y = torch.randn(ROWS, RANK), torch.randn(ROWS, WIDTHS[0])
    wanted = y.clone()
    for row, number in enumerate(NUMBERS):
        if number in range(SLOTS):
            wanted[row] = second[number, 0] @ inner[row]
    wrapper(NUMBERS).add_lora_embedding(y, inner, second, add_inputs=False)
    torch.testing.assert_close(y, wanted, atol=1e-4, rtol=1e-4)


def test_a_graph_serves_other_adapters_than_it_was_captured_with(given: Any) -> None:
    """Captured with no adapter at all, as vLLM does it first."""
    x, (first, _), (second, _) = given
    made, y = wrapper([-1] * ROWS), torch.zeros(ROWS, WIDTHS[0])
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        y.zero_()
        made.add_lora_linear(y, x, (first,), (second,), 1.0, WIDTHS[:1])
    made._token_lora_indices[:ROWS] = torch.tensor(NUMBERS)
    graph.replay()
    torch.testing.assert_close(y, expected(x, first, second, 1.0), atol=1e-4, rtol=1e-4)
