"""Rotary position embedding."""

import torch
from vllm.model_executor.custom_op import CustomOp
from vllm.model_executor.layers.rotary_embedding import MRotaryEmbedding, RotaryEmbedding
from vllm.model_executor.layers.rotary_embedding.mrope import apply_interleaved_rope

from ascend_backend.ops import rotary


def rotate(
    layer: RotaryEmbedding | MRotaryEmbedding, cos_sin: torch.Tensor, query: torch.Tensor, key: torch.Tensor | None
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


@CustomOp.register_oot(name="MRotaryEmbedding")
class NPUMRotaryEmbedding(MRotaryEmbedding):
    """Rotary embedding of positions in time, height and width, with torch_npu's operator."""

    def forward_oot(
        self,
        positions: torch.Tensor,
        query: torch.Tensor,
        key: torch.Tensor | None = None,
        offsets: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Fulfil ``MRotaryEmbedding.forward_native``: ``positions`` are [tokens], or [3, tokens] with media."""
        cache = self._match_cos_sin_cache_dtype(query)
        cos_sin = cache[positions]
        if positions.ndim == 2:
            cos_sin = torch.cat([self._merge(part) for part in cos_sin.chunk(2, dim=-1)], dim=-1)
        return rotate(self, cos_sin, query, key)

    def _merge(self, angles: torch.Tensor) -> torch.Tensor:
        """Return [tokens, angles] of [3, tokens, angles]: every axis gives its section."""
        if self.mrope_interleaved:
            return apply_interleaved_rope(angles, self.mrope_section)
        sections = angles.split(self.mrope_section, dim=-1)
        return torch.cat([section[axis] for axis, section in enumerate(sections)], dim=-1)
