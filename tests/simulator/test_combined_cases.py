"""Every two settings that may stand together do so in a case, and each with graphs and without."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# A distribution of its own, as the simulator.
sys.path.insert(0, str(Path(__file__).parents[2] / "simulator" / "vllm" / "src"))

from vllm_npu_cases.cases import cases, combined


def test_every_two_settings_stand_together_in_a_case() -> None:
    assert combined.uncovered() == []
    assert {"_".join(names) for names in combined.TOGETHER} <= set(cases())


def test_a_pair_without_a_case_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combined, "TOGETHER", combined.TOGETHER[:-1])
    assert ("pictures", "async_scheduling") in combined.uncovered()


def test_a_setting_that_was_not_in_force_is_told() -> None:
    case, tokens = cases()["lora_graphs"], [[1], [2]]
    answer = {"tokens": [tokens, tokens], "replays": 3}
    assert case.differs(answer, tokens) is None
    assert case.differs(answer | {"replays": 0}, tokens) == "graphs: no graph was replayed"
    assert case.differs(answer | {"tokens": [tokens, [[1], [3]]]}, tokens) == (
        "again: the tokens of prompt 1 differ from the reference"
    )


def test_beside_eagle_a_prompt_fills_two_blocks_where_blocks_have_to_be_found_again() -> None:
    def longest(name: str) -> int:
        return max(len(request.prompt) for request in cases()[name].requests)

    assert longest("moe_eagle_prefix_caching_chunked_prefill_async_scheduling_offload") > 2 * 128
    assert longest("eagle_async_scheduling_sleep") < 2 * 128
