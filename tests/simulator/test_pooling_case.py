"""The differences that the pooling cases report."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# A distribution of its own, as the simulator.
sys.path.insert(0, str(Path(__file__).parents[2] / "simulator" / "vllm" / "src"))

from vllm_npu_cases.cases import cases


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ([[0.6, 0.8], [1.00005, 0.0]], None),
        ([[0.6, 0.8]], "there are 1 answers to 2 questions"),
        ([[0.6, 0.8], [1.0]], "the embedding of prompt 1 has 1 numbers, not 2"),
        ([[0.6, 0.79], [1.0, 0.0]], "the embedding of prompt 0 is off by 1.0e-02"),
        ([[0.6, float("nan")], [1.0, 0.0]], "the embedding of prompt 0 is off by nan"),
    ],
)
def test_embeddings_are_equal_but_for_rounding(answer: list[list[float]], line: str | None) -> None:
    assert cases()["pooling"].differs(answer, [[0.6, 0.8], [1.0, 0.0]]) == line


def test_drafts_of_the_models_own_layer_have_to_be_accepted() -> None:
    case, tokens = cases()["mtp"], [[1], [2]]
    answer = {"tokens": tokens, "drafted": 4, "accepted": 1}
    assert case.differs(answer, tokens) is None
    assert case.differs(answer | {"drafted": 0}, tokens) == "no token was drafted"
    assert case.differs(answer | {"accepted": 0}, tokens) == "none of 4 drafted tokens was accepted"
    assert case.differs(answer, [[1], [3]]) == "the tokens of prompt 1 differ from the reference"
