"""Multi-head latent attention (MLA) over a paged latent cache."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import torch
from vllm.config import VllmConfig
from vllm.v1.attention.backend import (
    AttentionCGSupport,
    AttentionLayer,
    AttentionMetadata,
    AttentionMetadataBuilder,
    AttentionType,
    CommonAttentionMetadata,
    MLAAttentionImpl,
    MultipleOf,
)
from vllm.v1.kv_cache_interface import AttentionSpec, KVCacheSpec

from ascend_backend import graphs
from ascend_backend.attention import kv_cache as kv_cache_layout
from ascend_backend.attention.paged import NPUAttentionBackend
from ascend_backend.ops import attention
from ascend_backend.ops import kv_cache as kv_cache_ops

if TYPE_CHECKING:
    from vllm.model_executor.layers.linear import ColumnParallelLinear

#: With rotated parts, the operator takes at most so many query tokens of a request.
_QUERY_LIMIT = 16


class NPUMLABackend(NPUAttentionBackend):
    """Latent attention through npu_fused_infer_attention_score_v2."""

    @classmethod
    def is_mla(cls) -> bool:
        """Fulfil ``AttentionBackend.is_mla``."""
        return True

    @staticmethod
    def get_impl_cls() -> type["NPUMLAImpl"]:
        """Fulfil ``AttentionBackend.get_impl_cls``."""
        return NPUMLAImpl

    @staticmethod
    def get_builder_cls() -> type["NPUMLAMetadataBuilder"]:
        """Fulfil ``AttentionBackend.get_builder_cls``."""
        return NPUMLAMetadataBuilder

    @staticmethod
    def get_supported_kernel_block_sizes(kv_cache_spec: KVCacheSpec | None = None) -> list[int | MultipleOf]:
        """Fulfil ``AttentionBackend.get_supported_kernel_block_sizes``: with rotated parts 128 alone."""
        return [128]


@dataclass(frozen=True)
class Pieces:
    """Requests cut into pieces that the operator takes; each piece is a request of its own to it."""

    query_ends: list[int]
    context_lengths: list[int]
    #: The request that a piece is cut from.
    requests: list[int]


def cut(query_ends: Sequence[int], context_lengths: Sequence[int], limit: int) -> Pieces:
    """Return pieces of at most ``limit`` query tokens that attend to what the whole request would.

    The mask is aligned to the last token, so a piece sees a context that ends with its own last token.
    """
    pieces = Pieces([], [], [])
    start = 0
    for request, (end, length) in enumerate(zip(query_ends, context_lengths, strict=True)):
        for piece_start in range(start, end, limit):
            piece_end = min(piece_start + limit, end)
            pieces.query_ends.append(piece_end)
            pieces.context_lengths.append(length - (end - piece_end))
            pieces.requests.append(request)
        start = end
    return pieces


@dataclass
class NPUMLAMetadata(AttentionMetadata):
    """What the layers of one batch share.

    ``MLAAttention.forward_impl`` reads the counts: every token counts as a decode token, which sends it to
    ``forward_mqa``.
    """

    num_actual_tokens: int
    num_decodes: int
    num_decode_tokens: int
    num_prefills: int
    decode: Pieces
    prefill: None
    block_table: torch.Tensor


class NPUMLAMetadataBuilder(AttentionMetadataBuilder[NPUMLAMetadata]):
    """Turns vLLM's description of a batch into the operator's arguments."""

    _cudagraph_support: ClassVar[AttentionCGSupport] = AttentionCGSupport.UNIFORM_SINGLE_TOKEN_DECODE

    def __init__(
        self,
        kv_cache_spec: AttentionSpec,
        layer_names: list[str],
        vllm_config: VllmConfig,
        device: torch.device,
    ) -> None:
        super().__init__(kv_cache_spec, layer_names, vllm_config, device)

    def build(
        self,
        common_prefix_len: int,
        common_attn_metadata: CommonAttentionMetadata,
        fast_build: bool = False,
    ) -> NPUMLAMetadata:
        """Fulfil ``AttentionMetadataBuilder.build``."""
        common = common_attn_metadata
        requests = common.num_reqs
        if common.causal is not True:
            raise NotImplementedError("latent attention that is not causal is not supported on NPU")
        ends, lengths = graphs.padded(
            common.query_start_loc_cpu[1 : requests + 1].tolist(),
            common.seq_lens[:requests].tolist(),
            common.num_actual_tokens,
        )
        pieces = cut(ends, lengths, _QUERY_LIMIT)
        host = {"actual_seq_qlen": pieces.query_ends, "actual_seq_kvlen": pieces.context_lengths}
        graphs.publish(self.layer_names, host)
        table = common.block_table_tensor[:requests]
        if pieces.requests != list(range(requests)):
            table = table[pieces.requests]
        return NPUMLAMetadata(
            num_actual_tokens=common.num_actual_tokens,
            num_decodes=requests,
            num_decode_tokens=common.num_actual_tokens,
            num_prefills=0,
            decode=pieces,
            prefill=None,
            block_table=table,
        )


class NPUMLAImpl(MLAAttentionImpl[NPUMLAMetadata]):
    """One latent attention layer; prompts, too, attend in the latent space ("absorbed")."""

    is_sparse: ClassVar[bool] = False
    supports_pcp: bool = False
    can_return_lse_for_decode: bool = True

    def __init__(
        self,
        num_heads: int,
        head_size: int,
        scale: float,
        num_kv_heads: int,
        alibi_slopes: list[float] | None,
        sliding_window: int | None,
        kv_cache_dtype: str,
        logits_soft_cap: float | None,
        attn_type: str,
        kv_sharing_target_layer_name: str | None,
        q_lora_rank: int | None,
        kv_lora_rank: int,
        qk_nope_head_dim: int,
        qk_rope_head_dim: int,
        qk_head_dim: int,
        v_head_dim: int,
        kv_b_proj: "ColumnParallelLinear",
        indexer: object | None = None,
        q_pad_num_heads: int | None = None,
    ) -> None:
        """Fulfil ``MLAAttentionImpl.__init__``.

        Raises NotImplementedError for what the operator is not used for.
        """
        unsupported = {
            "ALiBi": alibi_slopes,
            "a sliding window": sliding_window,
            "a soft cap of the logits": logits_soft_cap,
            "an indexer": indexer,
        }
        for name, value in unsupported.items():
            if value is not None:
                raise NotImplementedError(f"latent attention with {name} is not supported on NPU")
        if attn_type != AttentionType.DECODER:
            raise NotImplementedError(f"latent attention of type {attn_type} is not supported on NPU")
        self.num_heads = num_heads
        self.head_size = head_size
        self.scale = float(scale)
        self.num_kv_heads = num_kv_heads
        self.kv_cache_dtype = kv_cache_dtype
        self.kv_lora_rank = kv_lora_rank
        self.qk_nope_head_dim = qk_nope_head_dim
        self.qk_rope_head_dim = qk_rope_head_dim
        self.v_head_dim = v_head_dim
        self.kv_b_proj = kv_b_proj

    def _caches(self, kv_cache: torch.Tensor) -> kv_cache_layout.Caches:
        """Return the latent cache and the cache of rotated keys; vLLM has dropped the axis of heads."""
        return kv_cache_layout.caches(kv_cache.unsqueeze(1), self.kv_lora_rank, self.qk_rope_head_dim)

    def do_kv_cache_update(
        self,
        kv_c_normed: torch.Tensor,
        k_pe: torch.Tensor,
        kv_cache: torch.Tensor,
        slot_mapping: torch.Tensor,
        kv_cache_dtype: str,
        k_scale: torch.Tensor,
        skip_scale: bool = False,
    ) -> None:
        """Fulfil ``MLAAttentionImpl.do_kv_cache_update``: store latents and rotated keys."""
        if kv_cache.numel() == 0:
            return
        caches = self._caches(kv_cache)
        kv_cache_ops.reshape_and_cache(
            kv_c_normed.view(-1, 1, self.kv_lora_rank),
            k_pe.view(-1, 1, self.qk_rope_head_dim),
            caches.first,
            caches.second,
            caches.slots(slot_mapping.flatten()),
        )

    def forward_mqa(
        self,
        q: torch.Tensor | tuple[torch.Tensor, torch.Tensor],
        kv_c_and_k_pe_cache: torch.Tensor,
        attn_metadata: NPUMLAMetadata,
        layer: AttentionLayer,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Fulfil ``MLAAttentionImpl.forward_mqa``: attention in the latent space and its log-sum-exp."""
        if isinstance(q, torch.Tensor):
            q = (q[..., : self.kv_lora_rank], q[..., self.kv_lora_rank :])
        caches = self._caches(kv_c_and_k_pe_cache)
        pieces = attn_metadata.decode
        graphs.used_by(layer.layer_name)
        return attention.paged_latent_attention(
            *q,
            caches.first,
            caches.second,
            query_ends=pieces.query_ends,
            context_lengths=pieces.context_lengths,
            block_table=caches.block_table(attn_metadata.block_table),
            scale=self.scale,
        )
