"""Attention of multimodal encoders, without a cache."""

import torch
from vllm.model_executor.custom_op import CustomOp
from vllm.model_executor.layers.attention.mm_encoder_attention import MMEncoderAttention

from ascend_backend.ops import attention


@CustomOp.register_oot(name="MMEncoderAttention")
class NPUMMEncoderAttention(MMEncoderAttention):
    """Encoder attention with torch_npu's fused operator."""

    def forward_oot(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        cu_seqlens: torch.Tensor | None = None,
        max_seqlen: torch.Tensor | None = None,
        sequence_lengths: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Fulfil ``MMEncoderAttention.forward_native``.

        Query, key and value are [batch, tokens, heads * size] or [batch, tokens, heads, size]; the result
        has the shape of the query. ``cu_seqlens`` are the starts of packed sequences.
        """
        batch, length = query.shape[:2]
        packed_query = query.reshape(batch * length, self.num_heads, self.head_size)
        packed_key = key.reshape(-1, self.num_kv_heads, self.head_size)
        packed_value = value.reshape(-1, self.num_kv_heads, self.head_size)
        if cu_seqlens is None:
            query_ends = [length * (i + 1) for i in range(batch)]
            key_ends = [key.shape[1] * (i + 1) for i in range(batch)]
        else:
            query_ends = key_ends = cu_seqlens[1:].tolist()
        output, _ = attention.varlen_attention(
            packed_query,
            packed_key,
            packed_value,
            query_ends=query_ends,
            key_ends=key_ends,
            scale=self.scale,
            causal=False,
        )
        return output.reshape(query.shape)


# A model may have a subclass of its own, as Whisper has; vLLM looks replacements up by the name of the class.
MMEncoderAttention.forward_oot = NPUMMEncoderAttention.forward_oot
