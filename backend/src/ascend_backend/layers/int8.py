"""Weights and activations in int8 (W8A8), as compressed-tensors and Ascend's ModelSlim write them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from vllm.model_executor.layers.linear import LinearBase, UnquantizedLinearMethod
from vllm.model_executor.layers.quantization import register_quantization_config
from vllm.model_executor.layers.quantization.base_config import QuantizationConfig, QuantizeMethodBase
from vllm.model_executor.utils import set_weight_attrs

from ascend_backend.layers.fused_moe import NPUUnquantizedFusedMoEMethod
from ascend_backend.layers.int8_linear import (
    NPUInt8LinearMethod,
    NPUStaticInt8LinearMethod,
    NPUStaticProductLinearMethod,
    flatten_scale,
    parameter,
    refused,
)

if TYPE_CHECKING:
    from vllm.model_executor.models.utils import WeightsMapper

#: Scales of activations: measured token by token, or one for all tokens that the checkpoint has, of which ModelSlim
#: writes the product with the weights' scales, and a zero point.
_DYNAMIC, _STATIC, _STATIC_PRODUCT = "dynamic", "static", "static product"
#: The kinds of ModelSlim, in the words above.
_OF_MODELSLIM: Mapping[str, str | None] = {"W8A8_DYNAMIC": _DYNAMIC, "W8A8": _STATIC_PRODUCT, "FLOAT": None}
_EXPERT = ("gate_proj", "up_proj", "down_proj")


def _matches(target: str, name: str) -> bool:
    expression = target.removeprefix("re:")
    return target == name or (expression != target and re.match(expression, name) is not None)


@dataclass(frozen=True)
class CompressedTensors:
    """The ``quantization_config`` that compressed-tensors writes into ``config.json``."""

    #: The kind of scales of each target: a name, an expression or a kind of layers.
    targets: Mapping[str, str]
    ignored: list[str]

    @classmethod
    def read(cls, config: Mapping[str, Any]) -> "CompressedTensors":
        """Return what is said there. Raises ValueError for what is not known."""
        if config.get("kv_cache_scheme"):
            raise refused("a quantised KV cache")
        targets: dict[str, str] = {}
        for group in (config.get("config_groups") or {}).values():
            kind = _kind(group.get("weights") or {}, group.get("input_activations") or {})
            targets |= dict.fromkeys(group["targets"], kind)
        if not targets:
            raise refused("compressed-tensors without int8")
        return cls(targets, list(config.get("ignore") or []))

    def renamed(self, mapper: "WeightsMapper") -> "CompressedTensors":
        """Return the same of vLLM's names of layers."""
        return CompressedTensors(mapper.apply_dict(dict(self.targets)), mapper.apply_list(self.ignored))

    def activations(self, name: str) -> str | None:
        """Return what kind of scale the activations of a layer of the checkpoint have, or None for floats."""
        if any(_matches(each, name) for each in self.ignored):
            return None
        return next((kind for each, kind in self.targets.items() if each == "Linear" or _matches(each, name)), None)


def _kind(weights: Mapping[str, Any], inputs: Mapping[str, Any]) -> str:
    """Return the kind of scales of a group; raise ValueError for any but the known ones."""
    said = [{"type": "int", "symmetric": True, "dynamic": False} | dict(each) for each in (weights, inputs)]
    int8 = all((each["type"], each.get("num_bits"), each["symmetric"]) == ("int", 8, True) for each in said)
    of_inputs = (said[1].get("strategy"), bool(said[1]["dynamic"]))
    known = {("token", True): _DYNAMIC, ("tensor", False): _STATIC}
    if not int8 or weights.get("strategy") != "channel" or said[0]["dynamic"] or of_inputs not in known:
        shown = [f"{each['type']}{each.get('num_bits', '')} by {each.get('strategy')}" for each in said]
        raise refused(f"weights in {shown[0]}, activations in {shown[1] if inputs else 'floats'}")
    return known[of_inputs]


@dataclass(frozen=True)
class ModelSlim:
    """The ``quant_model_description.json`` that ModelSlim writes: the kind of each layer."""

    kinds: Mapping[str, str]

    @classmethod
    def read(cls, config: Mapping[str, Any]) -> "ModelSlim":
        """Return what is said there. Raises ValueError for what is not known."""
        end = ".weight"
        kinds = {name.removesuffix(end): str(kind) for name, kind in config.items() if name.endswith(end)}
        others = sorted(set(kinds.values()) - _OF_MODELSLIM.keys())
        if others:
            raise refused(f"{others[0]} of ModelSlim")
        return cls(kinds)

    def renamed(self, mapper: "WeightsMapper") -> "ModelSlim":
        """Return the same of vLLM's names of layers."""
        return ModelSlim(mapper.apply_dict(dict(self.kinds)))

    def activations(self, name: str) -> str | None:
        """Return what kind of scale the activations of a layer of the checkpoint have, or None for floats."""
        return _OF_MODELSLIM[self.kinds.get(name, "FLOAT")]


#: Of layers that are no experts.
_METHODS: Mapping[str, type[NPUInt8LinearMethod]] = {
    _DYNAMIC: NPUInt8LinearMethod,
    _STATIC: NPUStaticInt8LinearMethod,
    _STATIC_PRODUCT: NPUStaticProductLinearMethod,
}


@register_quantization_config("ascend")
@register_quantization_config("compressed-tensors")
class Int8Config(QuantizationConfig):
    """Which layers of a checkpoint are int8."""

    def __init__(self, layers: CompressedTensors | ModelSlim) -> None:
        """Keep what the checkpoint says of its layers."""
        super().__init__()
        self.layers = layers

    def get_name(self) -> str:
        """Fulfil ``QuantizationConfig.get_name``."""
        return "ascend" if isinstance(self.layers, ModelSlim) else "compressed-tensors"

    @classmethod
    def get_min_capability(cls) -> int:
        """Fulfil ``QuantizationConfig.get_min_capability``: NPUs have none."""
        return 0

    def get_supported_act_dtypes(self) -> list[torch.dtype]:
        """Fulfil ``QuantizationConfig.get_supported_act_dtypes``: operators check their own dtypes."""
        return [torch.bfloat16, torch.float16, torch.float32]

    @staticmethod
    def get_config_filenames() -> list[str]:
        """Fulfil ``QuantizationConfig.get_config_filenames``, which are looked for beside ``config.json``."""
        return ["quant_model_description.json"]

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "Int8Config":
        """Fulfil ``QuantizationConfig.from_config``. Raises ValueError for what is not known."""
        compressed = config.get("quant_method") == "compressed-tensors"
        return cls(CompressedTensors.read(config) if compressed else ModelSlim.read(config))

    def apply_vllm_mapper(self, hf_to_vllm_mapper: "WeightsMapper") -> None:
        """Fulfil ``QuantizationConfig.apply_vllm_mapper``: names are those of vLLM's layers from now on."""
        self.layers = self.layers.renamed(hf_to_vllm_mapper)

    def get_quant_method(self, layer: torch.nn.Module, prefix: str) -> QuantizeMethodBase | None:
        """Fulfil ``QuantizationConfig.get_quant_method``.

        Raises ValueError for a layer whose parts are not alike, and for experts with static scales.
        """
        experts = getattr(layer, "moe_config", None)
        if experts is not None:
            kind = self._of_parts(prefix, [f"{prefix}.0.{part}" for part in _EXPERT])
            if kind not in (None, _DYNAMIC):
                raise refused(f"static int8 of the experts {prefix}")
            return NPUUnquantizedFusedMoEMethod(experts) if kind is None else NPUInt8FusedMoEMethod(experts)
        if not isinstance(layer, LinearBase):
            return None
        path, _, last = prefix.rpartition(".")
        parts = [f"{path}.{part}" for part in self.packed_modules_mapping.get(last, [last])]
        kind = self._of_parts(prefix, parts)
        return UnquantizedLinearMethod() if kind is None else _METHODS[kind]()

    def _of_parts(self, prefix: str, parts: list[str]) -> str | None:
        kinds = {self.layers.activations(part) for part in parts}
        if len(kinds) > 1:
            raise refused(f"a mixture of int8 and others in the layer {prefix}")
        return kinds.pop()


class NPUInt8FusedMoEMethod(NPUUnquantizedFusedMoEMethod):
    """Experts whose products are of int8."""

    def create_weights(
        self,
        layer: torch.nn.Module,
        num_experts: int,
        hidden_size: int,
        intermediate_size_per_partition: int,
        params_dtype: torch.dtype,
        **extra_weight_attrs: Any,
    ) -> None:
        """Fulfil ``FusedMoEMethodBase.create_weights``."""
        self.dtype = params_dtype
        sizes = (num_experts, hidden_size, intermediate_size_per_partition)
        super().create_weights(layer, *sizes, torch.int8, **extra_weight_attrs)
        for name, rows in (("w13_weight", 2 * intermediate_size_per_partition), ("w2_weight", hidden_size)):
            for what in ("scale", "offset"):
                column = parameter(torch.zeros(num_experts, rows, 1, dtype=torch.float32))
                layer.register_parameter(f"{name}_{what}", column)
                # How vLLM is to cut it between ranks: as the rows of the weight.
                set_weight_attrs(column, extra_weight_attrs | {"quant_method": "channel"})

    def process_weights_after_loading(self, layer: torch.nn.Module) -> None:
        """Fulfil ``QuantizeMethodBase.process_weights_after_loading``: bring scales into the operator's shape.

        It documents scales of bfloat16 for results of bfloat16, and of float32 for others.
        """
        dtype = torch.bfloat16 if self.dtype == torch.bfloat16 else torch.float32
        for name in ("w13_weight", "w2_weight"):
            flatten_scale(layer, name, dtype)

    def scales(self, layer: torch.nn.Module) -> tuple[torch.Tensor, torch.Tensor]:
        """Fulfil ``NPUUnquantizedFusedMoEMethod.scales``."""
        return layer.w13_weight_scale, layer.w2_weight_scale
