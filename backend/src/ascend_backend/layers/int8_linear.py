"""Products of linear layers in int8, one class for each kind of scales that activations have."""

from typing import Any

import torch
from vllm.model_executor.layers.linear import LinearMethodBase, RowParallelLinear
from vllm.model_executor.utils import set_weight_attrs

from ascend_backend.ops import quantised


def refused(what: str) -> ValueError:
    """Return the error for weights of another kind."""
    return ValueError(
        f"{what} is not supported on NPU; known are int8 weights with a scale a channel and activations in int8: of "
        "compressed-tensors, static or dynamic, and W8A8 and W8A8_DYNAMIC of ModelSlim (--quantization ascend)"
    )


class NPUInt8LinearMethod(LinearMethodBase):
    """A product of int8 whose activations are measured token by token."""

    def create_weights(
        self,
        layer: torch.nn.Module,
        input_size_per_partition: int,
        output_partition_sizes: list[int],
        input_size: int,
        output_size: int,
        params_dtype: torch.dtype,
        **extra_weight_attrs: Any,
    ) -> None:
        """Fulfil ``LinearMethodBase.create_weights``."""
        self.dtype = params_dtype
        weight = torch.empty(sum(output_partition_sizes), input_size_per_partition, dtype=torch.int8)
        register(layer, "weight", weight, extra_weight_attrs, input_dim=1, output_dim=0)
        self._create_scales(layer, output_partition_sizes, extra_weight_attrs)

    def _create_scales(self, layer: torch.nn.Module, sizes: list[int], loading: dict[str, Any]) -> None:
        """Add what the checkpoint has beside the weight; ``sizes`` are those of the layers that are one here."""
        for name in ("weight_scale", "weight_offset"):
            register(layer, name, torch.zeros(sum(sizes), 1, dtype=torch.float32), loading, output_dim=0)

    def process_weights_after_loading(self, layer: torch.nn.Module) -> None:
        """Fulfil ``QuantizeMethodBase.process_weights_after_loading``: bring scales into the operators' shapes."""
        flatten_scale(layer, "weight")

    def apply(self, layer: torch.nn.Module, x: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
        """Fulfil ``LinearMethodBase.apply``."""
        return quantised.linear(x, layer.weight, layer.weight_scale, bias)


class NPUStaticInt8LinearMethod(NPUInt8LinearMethod):
    """A product of int8 with one scale for the activations of all tokens."""

    def _create_scales(self, layer: torch.nn.Module, sizes: list[int], loading: dict[str, Any]) -> None:
        super()._create_scales(layer, sizes, loading)
        # Of each layer of the checkpoint one.
        scales = torch.zeros(len(sizes), dtype=torch.float32)
        register(layer, "input_scale", scales, loading, needs_scalar_to_array=True)

    def process_weights_after_loading(self, layer: torch.nn.Module) -> None:
        """Fulfil ``QuantizeMethodBase.process_weights_after_loading``: bring scales into the operators' shapes."""
        super().process_weights_after_loading(layer)
        # What quantises is in the activations' own dtype, what undoes it part of the columns' scale.
        layer.input_scale = parameter((1 / layer.input_scale.max().view(1)).to(self.dtype))
        layer.weight_scale.data /= layer.input_scale.float()

    def apply(self, layer: torch.nn.Module, x: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
        """Fulfil ``LinearMethodBase.apply``."""
        return quantised.static_linear(x, layer.weight, layer.weight_scale, layer.input_scale, bias)


class NPUStaticProductLinearMethod(NPUStaticInt8LinearMethod):
    """A product of int8 with one scale and one zero point for all tokens, as ModelSlim writes it.

    The checkpoint has the product of both scales (``deq_scale``) and whole numbers to be added to the sums
    (``quant_bias``): what the zero point adds is taken off there, and a layer's bias is part of it.
    """

    def _create_scales(self, layer: torch.nn.Module, sizes: list[int], loading: dict[str, Any]) -> None:
        super()._create_scales(layer, sizes, loading)
        points = torch.zeros(len(sizes), dtype=torch.float32)
        register(layer, "input_offset", points, loading, needs_scalar_to_array=True)
        # For models in float16 the checkpoint has the bits of float32 in whole numbers.
        scale = torch.int64 if self.dtype == torch.float16 else torch.float32
        for name, dtype in (("deq_scale", scale), ("quant_bias", torch.int32)):
            register(layer, name, torch.zeros(sum(sizes), dtype=dtype), loading, output_dim=0)

    def process_weights_after_loading(self, layer: torch.nn.Module) -> None:
        """Fulfil ``QuantizeMethodBase.process_weights_after_loading``: bring scales into the operators' shapes.

        Raises ValueError if the layers of the checkpoint that are one here do not quantise alike.
        """
        flatten_scale(layer, "weight")
        inputs = torch.stack((layer.input_scale.data, layer.input_offset.data))
        if not bool((inputs == inputs[:, :1]).all()):
            raise refused("one layer of several whose activations have different scales")
        scale, whole = layer.deq_scale.data, layer.deq_scale.dtype == torch.int64
        layer.weight_scale = parameter(scale.to(torch.int32).view(torch.float32) if whole else scale)
        del layer.deq_scale
        layer.input_scale = parameter((1 / inputs[0, :1]).to(self.dtype))
        layer.input_offset = parameter(inputs[1, :1].to(self.dtype))
        if isinstance(layer, RowParallelLinear) and layer.tp_rank > 0:
            # The ranks' results are added up, and this is to be added once.
            layer.quant_bias.data.zero_()

    def apply(self, layer: torch.nn.Module, x: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
        """Fulfil ``LinearMethodBase.apply``."""
        return quantised.static_linear(
            x, layer.weight, layer.weight_scale, layer.input_scale, layer.quant_bias, layer.input_offset
        )


def register(
    layer: torch.nn.Module, name: str, values: torch.Tensor, loading: dict[str, Any], **attributes: object
) -> None:
    """Add a parameter of a layer, with what vLLM needs to know to load it."""
    layer.register_parameter(name, parameter(values))
    set_weight_attrs(getattr(layer, name), attributes | loading)


def flatten_scale(layer: torch.nn.Module, name: str, dtype: torch.dtype = torch.float32) -> None:
    """Leave out the last dimension of a weight's scales, and its offsets. Raises ValueError if these are not zero."""
    if bool(getattr(layer, f"{name}_offset").any()):
        raise refused("a weight with offsets")
    delattr(layer, f"{name}_offset")
    scale = getattr(layer, f"{name}_scale").data.squeeze(-1).contiguous()
    setattr(layer, f"{name}_scale", parameter(scale.to(dtype)))


def parameter(values: torch.Tensor) -> torch.nn.Parameter:
    """Return a parameter that is not trained."""
    return torch.nn.Parameter(values, requires_grad=False)
