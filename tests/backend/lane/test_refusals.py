"""A plugin's deliberate refusals are told apart from breaks."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from vllm_npu_cases.refusals import refusal

PLUGIN = """
def refuses():
    raise NotImplementedError("no graphs yet\\nmore")
def refuses_a_value():
    raise ValueError("16 bits alone")
def checks():
    assert False, "no graphs"
def breaks():
    return [][0]
def calls(function):
    return function()
def follows():
    try:
        return {}["name"]
    except KeyError as error:
        raise NotImplementedError("no name") from error
def follows_without_saying_so():
    try:
        return {}["name"]
    except KeyError:
        raise NotImplementedError("no name")
"""


def module(name: str) -> Any:
    made = ModuleType(name)
    exec(PLUGIN, vars(made))
    return made


def words(act: Callable[[], object], made: bool = False) -> str | None:
    try:
        act()
    except Exception as error:
        return refusal(error, "plugin", made)
    raise AssertionError("nothing was raised")


def test_a_refusal_has_the_words_of_who_refuses() -> None:
    plugin, vllm = module("plugin.platform"), module("vllm.v1.worker.gpu.model_runner")
    assert words(plugin.refuses) == "plugin refuses: no graphs yet"
    assert words(plugin.refuses, made=True) == "plugin refuses: no graphs yet"
    assert words(plugin.refuses_a_value) == "plugin refuses: 16 bits alone"
    assert words(vllm.refuses) == "vllm refuses: no graphs yet"
    assert words(module("vllm.config.model").refuses_a_value) == "vllm refuses: 16 bits alone"


@pytest.mark.parametrize("name", ["checks", "breaks", "follows", "follows_without_saying_so"])
def test_what_breaks_is_no_refusal(name: str) -> None:
    assert words(getattr(module("plugin.ops"), name)) is None


def test_a_device_that_refuses_is_no_plugin() -> None:
    plugin = module("plugin.ops")
    assert words(lambda: plugin.calls(module("torch_npu_sim.operators").refuses)) is None
    # As vLLM says that there is too little memory.
    assert words(module("vllm.v1.worker.utils").refuses_a_value) is None


def test_a_value_in_the_middle_of_a_run_may_be_the_fault_of_the_device() -> None:
    assert words(module("plugin.ops").refuses_a_value, made=True) is None


def test_what_a_check_of_the_configuration_raises_is_found_in_its_report() -> None:
    pydantic = pytest.importorskip("pydantic")
    plugin = module("plugin.platform")

    class Settings(pydantic.BaseModel):  # type: ignore[misc, name-defined]
        mode: int

        @pydantic.model_validator(mode="after")
        def _checked(self) -> Any:
            return plugin.refuses_a_value()

    assert words(lambda: Settings(mode=1)) == "plugin refuses: 16 bits alone"
    assert words(lambda: Settings(mode="many")) is None
