"""Modules that a plugin imports and that are not torch_npu's stand in only where they are asked for."""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec

import pytest
from torch_npu_sim.surface.stand_ins import StandInFinder, install, providers, reason, requested

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
    get_device = importlib.import_module("acl.rt").get_device
    with pytest.raises(
        NotImplementedError, match=r"acl\.rt\.get_device \(CANN's Python interface comes with CANN\)"
    ):
        get_device(1)
    extension = importlib.import_module("xml.of_device.extension")
    with pytest.raises(
        NotImplementedError, match=r"extension\.Kernel \(asked for by TORCH_NPU_SIM_STAND_INS\)"
    ):
        extension.Kernel()


def test_names_that_another_module_has_are_taken_from_it(finder: StandInFinder) -> None:
    from_, to = (ctypes.create_string_buffer(text) for text in (b"abc", b"..."))
    addresses = (ctypes.addressof(to), 0, ctypes.addressof(from_), 2, 1)
    assert importlib.import_module("acl.rt").memcpy(*addresses) == 0
    assert to.value == b"ab."
    setting = {"TORCH_NPU_SIM_STAND_INS": "acl, plugin.plugin_C = json"}
    assert (requested(setting), providers(setting)["plugin.plugin_C"]) == (("acl", "plugin.plugin_C"), "json")
    own = StandInFinder(ASKED, {"xml.of_device.extension": "json"})
    assert own.create_module(ModuleSpec("xml.of_device.extension", own)).loads("1") == 1


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
