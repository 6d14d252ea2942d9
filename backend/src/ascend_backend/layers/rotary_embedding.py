"""Rotary position embedding."""

import torch
from vllm.model_executor.custom_op import CustomOp
from vllm.model_executor.layers.rotary_embedding import RotaryEmbedding

from ascend_backend.ops import rotary


def rotate(
    layer: RotaryEmbedding, cos_sin: torch.Tensor, query: torch.Tensor, key: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return query and key rotated by ``cos_sin`` ([tokens, rotary_dim]: cosines, then sines).

    Shapes of the inputs are kept; what lies beyond ``rotary_dim`` passes through.
    """
    cos, sin = cos_sin.chunk(2, dim=-1)
    if layer.is_neox_style:
        cos, sin = cos.repeat(1, 2), sin.repeat(1, 2)
    else:
        cos, sin = cos.repeat_interleave(2, dim=-1), sin.repeat_interleave(2, dim=-1)

    def one(x: torch.Tensor) -> torch.Tensor:
        heads = x.view(cos.shape[0], -1, layer.head_size)
        turned = rotary.rotary_mul(heads[..., : layer.rotary_dim], cos, sin, neox=layer.is_neox_style)
        if layer.rotary_dim < layer.head_size:
            turned = torch.cat((turned, heads[..., layer.rotary_dim :]), dim=-1)
        return turned.reshape(x.shape)

    return one(query), None if key is None else one(key)


@CustomOp.register_oot(name="RotaryEmbedding")
class NPURotaryEmbedding(RotaryEmbedding):
    """Rotary embedding with torch_npu's operator."""

    def forward_oot(
        self,
        positions: torch.Tensor,
        query: torch.Tensor,
        key: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Fulfil ``RotaryEmbedding.forward_native``."""
        cache = self._match_cos_sin_cache_dtype(query)
        return rotate(self, cache.index_select(0, positions.flatten()), query, key)
