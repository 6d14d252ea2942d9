"""vLLM finds the platform and makes the backend's layers in place of its own."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from importlib.metadata import entry_points

import pytest
from ascend_backend import plugin
from vllm.model_executor.custom_op import op_registry_oot
from vllm.platforms import current_platform


def test_the_platform_is_ours() -> None:
    assert type(current_platform).__module__ == "ascend_backend.platform"
    assert current_platform.is_out_of_tree()


@pytest.mark.parametrize(
    "name",
    [
        *("RMSNorm", "SiluAndMul", "RotaryEmbedding", "MMEncoderAttention", "UnquantizedFusedMoEMethod"),
        "QwenGatedDeltaNetAttention",
    ],
)
def test_layers_are_registered_in_place_of_upstreams(name: str) -> None:
    plugin.register_layers()
    layer = op_registry_oot[name]
    assert layer.__module__.startswith("ascend_backend.layers.")
    assert name in [base.__name__ for base in layer.__mro__[1:]]


def test_loading_plugins_twice_changes_nothing() -> None:
    plugin.register_layers()
    before = dict(op_registry_oot)
    assert plugin.register() == plugin.register() == "ascend_backend.platform.NPUPlatform"
    plugin.register_layers()
    assert op_registry_oot == before


def test_classes_that_are_named_by_strings_exist() -> None:
    names = [
        plugin.register(),
        current_platform.get_device_communicator_cls(),
        "ascend_backend.attention.paged.NPUAttentionBackend",
        "ascend_backend.attention.mla.NPUMLABackend",
        "ascend_backend.worker.npu_worker.NPUWorker",
    ]
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert isinstance(getattr(importlib.import_module(module), attribute), type)


def test_the_wheel_declares_its_entry_points() -> None:
    declared = {point.name: point.value for point in entry_points(group="vllm.platform_plugins")}
    assert declared["ascend"] == "ascend_backend.plugin:register"
    declared = {point.name: point.value for point in entry_points(group="vllm.general_plugins")}
    assert declared["ascend_layers"] == "ascend_backend.plugin:register_layers"


def test_without_a_device_one_line_says_what_to_do() -> None:
    process = subprocess.run(
        [sys.executable, "-c", "import ascend_backend.ops.norm"],
        env=os.environ | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 1
    line = process.stderr.splitlines()[-1]
    assert line.startswith("ImportError: torch_npu cannot be imported (")
    assert line.endswith("; install torch_npu and CANN")
