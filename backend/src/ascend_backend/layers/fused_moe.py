"""Mixture of experts in floats."""

from typing import TYPE_CHECKING

import torch
from vllm.model_executor.custom_op import CustomOp
from vllm.model_executor.layers.fused_moe.activation import MoEActivation
from vllm.model_executor.layers.fused_moe.config import FusedMoEConfig
from vllm.model_executor.layers.fused_moe.moe_output import UnfinalizedMoEOutput
from vllm.model_executor.layers.fused_moe.unquantized_fused_moe_method import UnquantizedFusedMoEMethod

from ascend_backend.ops import moe as moe_ops

if TYPE_CHECKING:
    from vllm.model_executor.layers.fused_moe.routed_experts import RoutedExperts


@CustomOp.register_oot(name="UnquantizedFusedMoEMethod")
class NPUUnquantizedFusedMoEMethod(UnquantizedFusedMoEMethod):
    """Routes and computes with torch_npu's operators; weights stay as the checkpoint has them."""

    def __init__(self, moe: FusedMoEConfig) -> None:
        """Fulfil ``UnquantizedFusedMoEMethod.__init__``.

        Raises NotImplementedError for what the operators are not used for.
        """
        super().__init__(moe)
        if moe.has_bias:
            raise NotImplementedError("experts with biases are not supported on NPU")

    @property
    def is_monolithic(self) -> bool:
        """Fulfil ``FusedMoEMethodBase.is_monolithic``: ``apply_monolithic`` routes, too."""
        return True

    def apply_monolithic(
        self,
        layer: "RoutedExperts",
        x: torch.Tensor,
        router_logits: torch.Tensor,
        input_ids: torch.Tensor | None = None,
    ) -> torch.Tensor | UnfinalizedMoEOutput:
        """Fulfil ``FusedMoEMethodBase.apply_monolithic``: return the finalised routed states."""
        if layer.activation != MoEActivation.SILU:
            raise NotImplementedError(f"experts with {layer.activation} are not supported on NPU")
        if layer.custom_routing_function is not None or layer.apply_router_weight_on_input:
            raise NotImplementedError("routing by a model's own function is not supported on NPU")
        grouped = layer.use_grouped_topk
        weights, experts = moe_ops.gate(
            router_logits,
            layer.top_k,
            sigmoid=layer.scoring_func == "sigmoid",
            renormalise=layer.renormalize,
            bias=layer.e_score_correction_bias,
            groups=layer.num_expert_group if grouped else 1,
            top_groups=layer.topk_group if grouped else 1,
            scaling=layer.routed_scaling_factor,
        )
        return moe_ops.swiglu_experts(
            x, weights, experts, layer.w13_weight, layer.w2_weight, layer.expert_map, self.scales(layer)
        )

    def scales(self, layer: torch.nn.Module) -> tuple[torch.Tensor, torch.Tensor] | None:
        """Return the scales of the rows of both weights, which those in floats have not."""
        return None
