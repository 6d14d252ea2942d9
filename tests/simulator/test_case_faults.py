"""Every case names faults that it has to notice, and one that takes effect unnoticed makes it fail."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import pytest

# A distribution of its own, as the simulator.
sys.path.insert(0, str(Path(__file__).parents[2] / "simulator" / "vllm" / "src"))

from torch_npu_sim import faults as planting
from torch_npu_sim.settings import variable
from vllm_npu_cases import faults
from vllm_npu_cases.cases import cases, register
from vllm_npu_cases.fault_trials import Trials
from vllm_npu_cases.plugins import VARIABLE

NOTICED, UNMET = {"took_effect": 2, "noticed": "the tokens differ"}, {"took_effect": 0}


def test_every_case_names_faults_that_some_plugin_can_have(monkeypatch: pytest.MonkeyPatch) -> None:
    known: set[str] = set()
    for plugin in ("ascend_backend", "vllm_ascend"):
        monkeypatch.setenv(VARIABLE, plugin)
        known |= set(faults.known())
        assert all(each.__doc__ for each in faults.known().values())
    assert {name: case.faults for name, case in cases().items() if not case.faults} == {}
    assert {
        name: set(case.faults) - known for name, case in cases().items() if set(case.faults) - known
    } == {}


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"faults": ()}, "the case other names no fault that it has to notice"),
        ({"blind_to": {"swiglu": "why"}}, "the case other is blind to swiglu, which is none of its faults"),
    ],
)
def test_a_case_without_a_fault_is_refused(changed: dict[str, Any], line: str) -> None:
    with pytest.raises(ValueError, match=line):
        register(dataclasses.replace(cases()["qwen3"], name="other", **changed))
    assert "other" not in cases()


def tried(case: str, plain: str | None = None, /, **said: tuple[int, str | None]) -> dict[str, Any]:
    trials, asked = Trials(), cases()[case]
    result: dict[str, Any] = {"case": case, "runner": "v1", "control": None, "seconds": 1.0}
    wholes = [trials.add(asked, result, plain)]
    for name in asked.faults:
        times, failure = said.get(name, (0, None))
        faulty = result | {"control": name, "took_effect": {name: times} if times else {}}
        wholes.append(trials.add(asked, faulty, failure))
    assert wholes[:-1] == [None] * len(asked.faults)
    assert wholes[-1] is not None
    return wholes[-1]


def test_a_fault_that_takes_effect_unnoticed_fails_the_case() -> None:
    words = "the tokens differ (log: /tmp/work/a.log)"
    right = tried("chunked_prefill", cached_block_lost=(2, words), later_slot=(0, "it was never met"))
    assert (right["failure"], right["faults"]) == (None, {"cached_block_lost": NOTICED, "later_slot": UNMET})
    wrong = tried("chunked_prefill", cached_block_lost=(2, words), later_slot=(4, None))
    assert wrong["failure"] == "later_slot took effect 4 times, and nobody noticed"


def test_a_case_whose_faults_are_never_met_is_blind() -> None:
    # That a run ends before it meets the fault says nothing of the fault.
    found = tried("chunked_prefill", cached_block_lost=(0, "the engine ended with code 1"))
    assert (
        found["failure"] == "this case is blind: none of its faults was met (cached_block_lost, later_slot)"
    )


def test_a_case_may_say_that_it_is_blind() -> None:
    found = tried("memory_plan", encoder_not_measured=(2, "the tokens differ"), activations_halved=(1, None))
    assert found["failure"] is None
    assert found["faults"]["activations_halved"].keys() == {"took_effect", "blind"}


def test_a_case_that_fails_by_itself_shows_nothing() -> None:
    found = tried(
        "qwen3", "the tokens of prompt 0 differ", swiglu_halves=(1, "the tokens of prompt 0 differ")
    )
    assert found["failure"] == "without any fault: the tokens of prompt 0 differ"
    assert "faults" not in found


def test_effects_are_counted_over_processes_and_only_where_they_are_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "effects"
    monkeypatch.setenv(variable("took_effect"), str(file))
    assert planting.noted(file) == {}

    class Owner:
        halve = staticmethod(lambda x: x // 2)

    planting.in_member("off", Owner, "halve", lambda correct: lambda x: correct(x) + 1, when=lambda x: x > 4)
    assert [Owner.halve(2), Owner.halve(8), Owner.halve(6)] == [1, 5, 4]
    assert planting.noted(file) == {"off": 2}
