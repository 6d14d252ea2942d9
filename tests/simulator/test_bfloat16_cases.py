"""Cases in bfloat16: what is a tie there, and that nothing else passes for one."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

# A distribution of its own, as the simulator.
sys.path.insert(0, str(Path(__file__).parents[2] / "simulator" / "vllm" / "src"))

from vllm_npu_cases.bfloat16 import Continuation, in_bfloat16, read, ties, unit, written
from vllm_npu_cases.cases import cases
from vllm_npu_cases.cases.case import equal
from vllm_npu_cases.faults import known

VALUES = st.floats(min_value=2.0**-100, max_value=2.0**100, allow_nan=False).flatmap(
    lambda x: st.sampled_from([x, -x])
)


@given(VALUES)
def test_a_unit_in_the_last_place_is_the_step_to_the_next_number(value: float) -> None:
    (bits,) = struct.unpack(">I", struct.pack(">f", value))
    number, further = (
        struct.unpack(">f", struct.pack(">I", (bits >> 16) + step << 16))[0] for step in (0, 1)
    )
    assert abs(further - number) == unit(number)


def test_zero_has_no_unit() -> None:
    assert unit(0.0) == 0.0


def test_logits_within_one_unit_tie_and_further_ones_do_not() -> None:
    assert ties([3.0, 3.0 - 2**-6, 3.0 - 2**-5, 3.0, -3.0], 0.0) == [1, 3]


def test_what_rounding_moved_two_logits_by_is_a_tie() -> None:
    assert ties([3.0, 2.9, 2.7], 0.06) == [1]
    assert ties([3.0, 2.9, 2.7], 0.04) == []


@pytest.mark.parametrize(
    ("tokens", "same"),
    [
        ([1, 2, 3], True),
        # From a tie on nothing is compared.
        ([1, 7, 9], True),
        ([1, 8, 3], False),
        # A tie at another place is none here.
        ([7, 2, 3], False),
        ([1, 2, 7], False),
        ([1, 2], False),
        ([1, 7], False),
    ],
)
def test_tokens_part_at_a_tie_alone(tokens: list[int], same: bool) -> None:
    wanted = Continuation([1, 2, 3], [[], [7], []])
    assert (equal([tokens], [wanted]) is None) == same
    assert (tokens == wanted) == same


TOKENS = st.lists(st.integers(0, 9), max_size=4)
CONTINUATIONS = TOKENS.map(lambda tokens: Continuation(tokens, [[each + 1] for each in tokens]))
ANSWERS = st.recursive(
    CONTINUATIONS | st.integers() | st.none() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "tokens"]), inner, max_size=1)
    ),
    max_leaves=6,
)


@given(ANSWERS)
def test_answers_come_back_from_json_with_their_ties(answer: object) -> None:
    def told(found: object) -> object:
        return (list(found), found.tied) if isinstance(found, Continuation) else found

    def walked(found: object) -> object:
        if isinstance(found, Continuation):
            return told(found)
        if isinstance(found, dict):
            return {name: walked(each) for name, each in found.items()}
        return [walked(each) for each in found] if isinstance(found, list) else found

    assert walked(read(json.loads(json.dumps(written(answer))))) == walked(answer)


def test_a_case_in_bfloat16_says_what_the_case_says() -> None:
    known = cases()
    half, plain = in_bfloat16(known["graphs_full"]), known["graphs_full"]
    expected = written([Continuation([1, 2], [[], [5]])] * 4)
    answer = {"tokens": [[1, 5]] * 7, "captures": [3], "replays": [2]}
    assert half.differs(answer, expected) is None
    assert half.differs(answer | {"replays": [0]}, expected) == plain.differs(
        answer | {"replays": [0]}, [[1, 2]] * 4
    )
    assert half.differs(answer | {"tokens": [[5, 1]] * 7}, expected) == (
        "the tokens of prompt 0 differ from the reference"
    )
    assert half.faults == plain.faults
    assert half.model.name != plain.model.name


def test_each_model_and_each_kind_of_int8_runs_in_bfloat16() -> None:
    known = cases()
    models = {
        "qwen3",
        "qwen3_moe",
        "qwen2_moe",
        "deepseek_v3",
        "mistral",
        "gemma3",
        "hybrid",
        "whisper",
        "qwen3_vl",
    }
    int8 = {
        name for name, case in known.items() if name.startswith("w8a8") and not name.endswith("_bfloat16")
    }
    assert {f"{name}_bfloat16" for name in models | int8} <= set(known)


def test_a_fault_that_rounding_hides_is_a_larger_one() -> None:
    case = cases()["qwen3"]
    faults = in_bfloat16(case).faults
    assert "attention_scale" in case.faults
    assert "attention_scale" not in faults
    assert {"attention_doubled", *faults} <= {*known()}
    assert "attention_doubled" in faults
