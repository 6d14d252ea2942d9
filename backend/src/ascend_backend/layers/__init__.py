"""vLLM layers on NPU, registered out of tree: importing this package registers them."""

from ascend_backend.layers import (
    activation,
    fused_moe,
    gated_delta_net,
    layernorm,
    mm_encoder_attention,
    rotary_embedding,
)

__all__ = ["activation", "fused_moe", "gated_delta_net", "layernorm", "mm_encoder_attention", "rotary_embedding"]
