"""Modules that a plugin imports and that are not torch_npu's stand in only where they are asked for."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

import pytest
from torch_npu_sim.surface.stand_ins import StandInFinder, install, reason, requested

ASKED = ("acl", "xml.of_device.extension")


@pytest.fixture
def finder() -> Iterator[StandInFinder]:
    before = set(sys.modules)
    made = StandInFinder(ASKED)
    sys.meta_path.append(made)
    yield made
    sys.meta_path.remove(made)
    for name in set(sys.modules) - before:
        if name.startswith(("acl", "xml.of_device")):
            del sys.modules[name]


def test_what_is_asked_for_can_be_imported_and_refuses_its_use(finder: StandInFinder) -> None:
    memcpy = importlib.import_module("acl.rt").memcpy
    with pytest.raises(
        NotImplementedError, match=r"acl\.rt\.memcpy \(CANN's Python interface comes with CANN\)"
    ):
        memcpy(1)
    extension = importlib.import_module("xml.of_device.extension")
    with pytest.raises(
        NotImplementedError, match=r"extension\.Kernel \(asked for by TORCH_NPU_SIM_STAND_INS\)"
    ):
        extension.Kernel()


def test_what_is_not_asked_for_is_not_there(finder: StandInFinder) -> None:
    for name in ("aclx", "xml.of_device2", "xml_of_device"):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(name)
    assert finder.find_spec("xml") is None
    assert importlib.import_module("xml.dom").__file__


def test_the_setting() -> None:
    assert requested({"TORCH_NPU_SIM_STAND_INS": "acl, plugin.plugin_C,"}) == ("acl", "plugin.plugin_C")
    assert requested({}) == ()
    before = list(sys.meta_path)
    install({})
    assert sys.meta_path == before


def test_reasons() -> None:
    assert reason("triton.language.extra.cann.extension").startswith("Triton-Ascend")
    assert reason("acle") == "asked for by TORCH_NPU_SIM_STAND_INS"
