"""Which layers are int8, and what is refused in one line that says what is known."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from ascend_backend.layers.int8 import Int8Config, ModelSlim, NPUInt8FusedMoEMethod
from ascend_backend.layers.int8_linear import (
    NPUInt8LinearMethod,
    NPUStaticInt8LinearMethod,
    NPUStaticProductLinearMethod,
)
from ascend_backend.platform import NPUPlatform
from vllm.model_executor.layers.quantization import get_quantization_config

CHANNELS = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "channel", "dynamic": False}
TOKENS = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "token", "dynamic": True}
ALL = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "tensor", "dynamic": False}
KNOWN = "known are int8 weights with a scale a channel"


def compressed(weights: Any = None, inputs: Any = None, **others: Any) -> Int8Config:
    group = {
        "targets": ["Linear"],
        "weights": CHANNELS | (weights or {}),
        "input_activations": inputs or TOKENS,
    }
    said = {"quant_method": "compressed-tensors", "config_groups": {"group_0": group}}
    return Int8Config.from_config({**said, **others})


def test_vllm_asks_the_backend() -> None:
    for known in ("compressed-tensors", "ascend"):
        assert get_quantization_config(known) is Int8Config
        NPUPlatform.verify_quantization(known)


def test_layers_of_compressed_tensors() -> None:
    config = compressed(ignore=["lm_head", r"re:.*mlp\.gate$"])
    assert config.layers.activations("model.layers.0.self_attn.q_proj") == "dynamic"
    assert config.layers.activations("model.layers.0.mlp.gate_proj") == "dynamic"
    assert config.layers.activations("model.layers.0.mlp.gate") is None
    assert config.layers.activations("lm_head") is None
    assert compressed(inputs=ALL).layers.activations("any") == "static"


def test_layers_of_modelslim() -> None:
    config = Int8Config.from_config(
        {
            "model_quant_type": "W8A8_DYNAMIC",
            "a.weight": "W8A8_DYNAMIC",
            "a.weight_scale": "W8A8_DYNAMIC",
            "b.weight": "FLOAT",
            "d.weight": "W8A8",
            "d.quant_bias": "W8A8",
        }
    )
    kinds = [config.layers.activations(name) for name in ("a", "b", "c", "d")]
    assert kinds == ["dynamic", None, None, "static product"]
    with pytest.raises(ValueError, match=f"^W4A8_DYNAMIC of ModelSlim is not supported on NPU; {KNOWN}"):
        Int8Config.from_config({"a.weight": "W4A8_DYNAMIC"})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"weights": {"type": "float"}}, "weights in float8 by channel, activations in int8 by token"),
        ({"weights": {"num_bits": 4}}, "weights in int4 by channel, activations in int8 by token"),
        ({"weights": {"strategy": "group"}}, "weights in int8 by group, activations in int8 by token"),
        ({"weights": {"symmetric": False}}, "weights in int8 by channel, activations in int8 by token"),
        ({"inputs": ALL | {"symmetric": False}}, "weights in int8 by channel, activations in int8 by tensor"),
        ({"kv_cache_scheme": {"num_bits": 8}}, "a quantised KV cache"),
        ({"config_groups": {}}, "compressed-tensors without int8"),
        (
            {"config_groups": {"one": {"targets": ["Linear"], "weights": CHANNELS}}},
            "weights in int8 by channel, activations in floats",
        ),
    ],
)
def test_other_schemes_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words} is not supported on NPU; {KNOWN}") as error:
        compressed(**given)
    assert "\n" not in str(error.value)


def test_another_quantisation_is_refused() -> None:
    with pytest.raises(ValueError, match=f"^quantization fp8 is not supported on NPU; {KNOWN}"):
        NPUPlatform.verify_quantization("fp8")


def test_a_layer_that_is_not_of_one_kind_is_refused() -> None:
    config = Int8Config(ModelSlim({"m.q_proj": "W8A8_DYNAMIC", "m.k_proj": "FLOAT"}))
    with pytest.raises(ValueError, match=r"a mixture of int8 and others in the layer m\.qk_proj"):
        config._of_parts("m.qk_proj", ["m.q_proj", "m.k_proj"])


def test_weights_with_offsets_are_refused() -> None:
    layer, method = torch.nn.Module(), NPUInt8LinearMethod()
    method.create_weights(layer, 8, [4], 8, 4, torch.float16, weight_loader=None)
    layer.weight_offset.data[2] = 1
    with pytest.raises(ValueError, match="a weight with offsets is not supported on NPU"):
        method.process_weights_after_loading(layer)


def test_what_quantises_by_one_scale_is_undone_by_the_columns() -> None:
    layer, method = torch.nn.Module(), NPUStaticInt8LinearMethod()
    method.create_weights(layer, 8, [4, 4], 8, 8, torch.float16, weight_loader=None)
    layer.weight.data.fill_(1)
    layer.weight_scale.data.fill_(0.5)
    layer.input_scale.data.copy_(torch.tensor([0.25, 0.125]))
    method.process_weights_after_loading(layer)
    assert layer.input_scale.tolist() == [4.0]
    assert layer.weight_scale.tolist() == [0.125] * 8
    assert method.apply(layer, torch.ones(1, 8).half()).tolist() == [[4.0] * 8]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_products_of_modelslim_have_a_zero_point_and_whole_numbers(dtype: torch.dtype) -> None:
    layer, method = torch.nn.Module(), NPUStaticProductLinearMethod()
    method.create_weights(layer, 8, [4, 4], 8, 8, dtype, weight_loader=None)
    layer.weight.data.fill_(1)
    layer.input_scale.data.fill_(0.25)
    layer.input_offset.data.fill_(-3)
    layer.quant_bias.data.copy_(torch.arange(8) + 3 * 8)
    scale = torch.full((8,), 0.5)
    # A checkpoint for float16 has the bits of the scales in whole numbers.
    layer.deq_scale.data.copy_(scale.view(torch.int32) if dtype == torch.float16 else scale)
    method.process_weights_after_loading(layer)
    # 4 is made 16 - 3; the sum of eight, the whole numbers, times a half.
    result = method.apply(layer, torch.full((1, 8), 4.0, dtype=dtype), torch.ones(8, dtype=dtype))
    assert result.tolist() == [[(8 * 16 + number) / 2 for number in range(8)]]


def test_layers_that_do_not_quantise_alike_cannot_be_one() -> None:
    layer, method = torch.nn.Module(), NPUStaticProductLinearMethod()
    method.create_weights(layer, 8, [4, 4], 8, 8, torch.bfloat16, weight_loader=None)
    layer.input_scale.data.copy_(torch.tensor([0.25, 0.5]))
    with pytest.raises(ValueError, match="activations have different scales is not supported on NPU"):
        method.process_weights_after_loading(layer)


@pytest.mark.parametrize(
    ("dtype", "of_scales"), [(torch.bfloat16, torch.bfloat16), (torch.float16, torch.float32)]
)
def test_scales_of_experts_have_the_dtype_that_the_operator_documents(
    dtype: torch.dtype, of_scales: torch.dtype
) -> None:
    layer, method = torch.nn.Module(), NPUInt8FusedMoEMethod.__new__(NPUInt8FusedMoEMethod)
    method.dtype = dtype
    for name, rows in (("w13_weight", 8), ("w2_weight", 4)):
        for what in ("scale", "offset"):
            values = torch.zeros(2, rows, 1)
            layer.register_parameter(f"{name}_{what}", torch.nn.Parameter(values, requires_grad=False))
    method.process_weights_after_loading(layer)
    assert [each.dtype for each in method.scales(layer)] == [of_scales] * 2
