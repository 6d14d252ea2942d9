"""Multi-head latent attention (MLA) over a paged latent cache."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import torch
from vllm.config import VllmConfig
from vllm.model_executor.layers.attention.mla_attention import MLACommonMetadataBuilder
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

from ascend_backend.attention import batch_lengths, kv_cache_layout
from ascend_backend.attention.mla_context import Chunk, describe, plan
from ascend_backend.attention.paged import NPUAttentionBackend
from ascend_backend.compilation import acl_graphs
from ascend_backend.ops import attention
from ascend_backend.ops import kv_cache as kv_cache_ops

if TYPE_CHECKING:
    from vllm.model_executor.layers.linear import ColumnParallelLinear

#: With rotated parts, the operator takes at most so many query tokens of a request.
_QUERY_LIMIT = 16
#: In vLLM's ``additional_config``: the most cached tokens that prompts bring out of the latent space at once.
CONTEXT_CHUNK = "mla_context_chunk"


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
class Decode:
    """The first requests of a batch, of few query tokens each: they attend in the latent space ("absorbed")."""

    query_ends: list[int]
    context_lengths: list[int]


@dataclass(frozen=True)
class Prefill:
    """The other requests: their prompts attend outside the latent space, to themselves and to their contexts."""

    query_ends: list[int]
    context: list[Chunk]


@dataclass
class NPUMLAMetadata(AttentionMetadata):
    """What the layers of one batch share.

    ``MLAAttention.forward_impl`` reads the counts: it sends the first ``num_decode_tokens`` tokens to
    ``forward_mqa`` and the others to ``forward_mha``.
    """

    num_actual_tokens: int
    num_decodes: int
    num_decode_tokens: int
    num_prefills: int
    decode: Decode
    prefill: Prefill
    #: Of the requests that attend in the latent space.
    block_table: torch.Tensor


def leading(query_ends: Sequence[int], limit: int) -> int:
    """Return how many requests, from the first on, have at most ``limit`` query tokens."""
    starts = (0, *query_ends)
    for request, end in enumerate(query_ends):
        if end - starts[request] > limit:
            return request
    return len(query_ends)


class NPUMLAMetadataBuilder(AttentionMetadataBuilder[NPUMLAMetadata]):
    """Turns vLLM's description of a batch into the operators' arguments."""

    _cudagraph_support: ClassVar[AttentionCGSupport] = AttentionCGSupport.UNIFORM_SINGLE_TOKEN_DECODE
    #: vLLM's model runner puts requests of so few query tokens first; one that comes later counts as a prompt.
    reorder_batch_threshold: int | None = _QUERY_LIMIT

    def __init__(
        self,
        kv_cache_spec: AttentionSpec,
        layer_names: list[str],
        vllm_config: VllmConfig,
        device: torch.device,
    ) -> None:
        """Fulfil ``AttentionMetadataBuilder.__init__``: ``additional_config`` may bound the chunks of contexts."""
        super().__init__(kv_cache_spec, layer_names, vllm_config, device)
        # The layers' memory profile allocates as much for it, unless configured.
        workspace = MLACommonMetadataBuilder.determine_chunked_prefill_workspace_size(vllm_config)
        self._context_limit = int(vllm_config.additional_config.get(CONTEXT_CHUNK, workspace))

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
        ends, lengths = acl_graphs.padded(
            batch_lengths.query_ends(common),
            batch_lengths.context_lengths(common, self.vllm_config),
            common.num_actual_tokens,
        )
        first = leading(ends, _QUERY_LIMIT)
        acl_graphs.publish(self.layer_names, {"actual_seq_qlen": ends[:first], "actual_seq_kvlen": lengths[:first]})
        decoded = ends[first - 1] if first else 0
        return NPUMLAMetadata(
            num_actual_tokens=common.num_actual_tokens,
            num_decodes=first,
            num_decode_tokens=decoded,
            num_prefills=requests - first,
            decode=Decode(ends[:first], lengths[:first]),
            prefill=self._prefill(
                [end - decoded for end in ends[first:]], lengths[first:], common.block_table_tensor[first:requests]
            ),
            block_table=common.block_table_tensor[:first],
        )

    def _prefill(self, ends: list[int], lengths: list[int], block_table: torch.Tensor) -> Prefill:
        block_size = self.kv_cache_spec.block_size
        contexts = [length - end + start for length, start, end in zip(lengths, [0, *ends], ends, strict=False)]
        parts = plan(contexts, self._context_limit, block_size)
        return Prefill(ends, [describe(each, ends, block_table, block_size) for each in parts])


class NPUMLAImpl(MLAAttentionImpl[NPUMLAMetadata]):
    """One latent attention layer."""

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
        decode = attn_metadata.decode
        acl_graphs.used_by(layer.layer_name)
        return attention.paged_latent_attention(
            *q,
            caches.first,
            caches.second,
            query_ends=decode.query_ends,
            context_lengths=decode.context_lengths,
            block_table=caches.block_table(attn_metadata.block_table),
            scale=self.scale,
        )

    def forward_mha(
        self,
        q: torch.Tensor,
        kv_c_normed: torch.Tensor,
        k_pe: torch.Tensor,
        kv_c_and_k_pe_cache: torch.Tensor,
        attn_metadata: NPUMLAMetadata,
        k_scale: torch.Tensor,
        output: torch.Tensor,
        output_scale: torch.Tensor | None = None,
    ) -> None:
        """Fulfil ``MLAAttentionImpl.forward_mha``: attend with keys and values of every head, fill ``output``."""
        if output_scale is not None:
            raise NotImplementedError("fused quantisation of the attention output is not supported on NPU")
        prefill = attn_metadata.prefill
        ends = prefill.query_ends
        attended, lse = self._attend(q, kv_c_normed, k_pe, ends, ends, causal=True)
        caches = self._caches(kv_c_and_k_pe_cache)
        for chunk in prefill.context:
            table = caches.block_table(chunk.block_table)
            latent, rope = kv_cache_ops.gather(caches.first, caches.second, table, chunk.lengths, chunk.key_ends[-1])
            seen = self._attend(q[chunk.tokens], latent, rope, chunk.query_ends, chunk.key_ends, causal=False)
            merged = attention.merge([(attended[chunk.tokens], lse[chunk.tokens]), seen])
            attended[chunk.tokens], lse[chunk.tokens] = merged
        output.copy_(attended.flatten(1))

    def _attend(
        self,
        q: torch.Tensor,
        latent: torch.Tensor,
        rope: torch.Tensor,
        query_ends: list[int],
        key_ends: list[int],
        *,
        causal: bool,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the attention to what the latents stand for, and its log-sum-exp."""
        heads = self.kv_b_proj(latent.reshape(-1, self.kv_lora_rank))[0].view(
            -1, self.num_heads, self.qk_nope_head_dim + self.v_head_dim
        )
        key, value = heads.split((self.qk_nope_head_dim, self.v_head_dim), -1)
        return attention.rotated_attention(
            *q.split((self.qk_nope_head_dim, self.qk_rope_head_dim), -1),
            key,
            rope.reshape(-1, 1, self.qk_rope_head_dim).expand(-1, self.num_heads, -1),
            value,
            query_ends=query_ends,
            key_ends=key_ends,
            scale=self.scale,
            causal=causal,
        )
