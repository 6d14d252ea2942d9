"""Differences between recordings, and what is none."""

from __future__ import annotations

from dataclasses import replace

from syncbot.verify.recording.differences import What, differences
from syncbot.verify.recording.recorded_run import Call, Recording

FORWARD, BUILD = "plugin.attention:Impl.forward", "plugin.attention:Builder.build"
OLD = Recording(
    called={
        FORWARD: Call(frozenset({"up.layer:run"}), {"cache": frozenset({"float32[512,n] on npu"})}),
        BUILD: Call(frozenset({"up.runner:Runner.prepare", "up.runner:Runner.warm"})),
    },
    ran=frozenset({FORWARD, BUILD, "plugin.attention:helper"}),
    operators={
        "npu::norm": Call(arguments={"epsilon": frozenset({"float 1e-06"})}),
        "npu::swiglu": Call(),
    },
    counts={"norm": 5, "swiglu": 2},
)


def told(new: Recording) -> list[str]:
    return [str(each) for each in differences(OLD, new)]


def test_the_same_run_has_no_differences() -> None:
    assert differences(OLD, replace(OLD)) == ()


def test_an_override_that_nobody_calls_any_more_is_told_with_its_former_callers() -> None:
    new = replace(OLD, called={BUILD: OLD.called[BUILD]}, ran=OLD.ran - {FORWARD})
    assert told(new) == [f"{FORWARD} is called no more (before: by up.layer:run)"]
    assert told(replace(new, ran=OLD.ran)) == [f"{FORWARD} is called by up.layer:run no more"]
    back = differences(new, OLD)
    assert [each.what for each in back] == [What.NEWLY_CALLED]


def test_a_dropped_operator_is_told_and_the_other_counts_are_not() -> None:
    operators = {"npu::norm": OLD.operators["npu::norm"]}
    new = replace(OLD, operators=operators, counts={"norm": 5})
    assert told(new) == ["the operator npu::swiglu never runs now"]
    assert [str(each) for each in differences(new, OLD)] == ["the operator npu::swiglu runs now"]


def test_an_operator_that_runs_more_often_a_step_is_told() -> None:
    assert told(replace(OLD, counts={"norm": 7, "swiglu": 2})) == [
        "the operator norm runs 7 times a step; before: 5"
    ]


def test_a_changed_shape_option_and_kind_is_told_by_parameter() -> None:
    forward = Call(
        frozenset({"up.layer:run"}),
        {"cache": frozenset({"float32[512,2,n] on npu"}), "scale": frozenset({"float"})},
    )
    norm = Call(arguments={"epsilon": frozenset({"float 1e-05"})})
    new = replace(
        OLD, called={**OLD.called, FORWARD: forward}, operators={**OLD.operators, "npu::norm": norm}
    )
    assert told(new) == [
        f"{FORWARD}: cache is float32[512,2,n] on npu now; before: float32[512,n] on npu",
        f"{FORWARD}: scale is float now, too",
        "npu::norm: epsilon is float 1e-05 now; before: float 1e-06",
    ]


def test_of_callers_only_the_changed_ones_are_told() -> None:
    build = Call(frozenset({"up.runner:Runner.prepare", "up.runner:Runner.execute"}))
    assert told(replace(OLD, called={**OLD.called, BUILD: build})) == [
        f"{BUILD} is called by up.runner:Runner.execute now; before: by up.runner:Runner.warm"
    ]
