"""Attention with a paged KV cache."""

from dataclasses import dataclass, field
from typing import ClassVar

import torch
from vllm.config import VllmConfig, get_current_vllm_config_or_none
from vllm.v1.attention.backend import (
    AttentionBackend,
    AttentionCGSupport,
    AttentionImpl,
    AttentionLayer,
    AttentionMetadata,
    AttentionMetadataBuilder,
    AttentionType,
    CommonAttentionMetadata,
    MultipleOf,
)
from vllm.v1.kv_cache_interface import AttentionSpec, KVCacheLayout, KVCacheSpec

from ascend_backend.attention import batch_lengths, kv_cache_layout
from ascend_backend.compilation import acl_graphs
from ascend_backend.ops import attention
from ascend_backend.ops import kv_cache as kv_cache_ops


class NPUAttentionBackend(AttentionBackend):
    """Decoder attention through npu_fused_infer_attention_score."""

    supported_dtypes: ClassVar[list[torch.dtype]] = [torch.float16, torch.bfloat16, torch.float32]
    #: A custom operator of its own stores keys and values before the one that attends.
    forward_includes_kv_cache_update: bool = False

    @staticmethod
    def get_name() -> str:
        """Fulfil ``AttentionBackend.get_name``: a member of ``AttentionBackendEnum``."""
        return "CUSTOM"

    @staticmethod
    def get_impl_cls() -> type["NPUAttentionImpl"]:
        """Fulfil ``AttentionBackend.get_impl_cls``."""
        return NPUAttentionImpl

    @staticmethod
    def get_builder_cls() -> type["NPUAttentionMetadataBuilder"]:
        """Fulfil ``AttentionBackend.get_builder_cls``."""
        return NPUAttentionMetadataBuilder

    @staticmethod
    def get_supported_kernel_block_sizes(kv_cache_spec: KVCacheSpec | None = None) -> list[int | MultipleOf]:
        """Fulfil ``AttentionBackend.get_supported_kernel_block_sizes``.

        The operator documents blocks of 128 to 512 tokens, in multiples of 128.
        """
        return [128, 256, 384, 512]

    @classmethod
    def supported_kv_cache_layouts(cls) -> tuple[KVCacheLayout, ...]:
        """Fulfil ``AttentionBackend.supported_kv_cache_layouts``: see ``attention.kv_cache_layout``."""
        return kv_cache_layout.LAYOUTS


@dataclass
class NPUAttentionMetadata(AttentionMetadata):
    """What the layers of one batch share; lengths are on the host, as the operator wants them."""

    num_actual_tokens: int
    query_ends: list[int]
    context_lengths: list[int]
    block_table: torch.Tensor
    slot_mapping: torch.Tensor
    causal: bool
    #: By window: what layers before have found for it.
    _windows: dict[int, attention.WindowedRows] = field(default_factory=dict)

    def window(self, size: int | None) -> attention.WindowedRows | None:
        """Return what the operator needs for a window, the same for all layers that have it."""
        if size is not None and size not in self._windows:
            self._windows[size] = attention.windowed_rows(
                self.query_ends, self.context_lengths, size, self.block_table.device
            )
        return None if size is None else self._windows[size]


class NPUAttentionMetadataBuilder(AttentionMetadataBuilder[NPUAttentionMetadata]):
    """Turns vLLM's description of a batch into the operator's arguments."""

    @classmethod
    def get_cudagraph_support(cls, vllm_config: VllmConfig, kv_cache_spec: AttentionSpec) -> AttentionCGSupport:
        """Fulfil ``AttentionMetadataBuilder.get_cudagraph_support``.

        With a window the query has more rows than there are tokens, and attention to an encoder's tokens
        stores them once: in neither do lengths alone change from step to step.
        """
        window = getattr(kv_cache_spec, "sliding_window", None)
        changing = window is not None or vllm_config.model_config.is_encoder_decoder
        return AttentionCGSupport.NEVER if changing else AttentionCGSupport.UNIFORM_BATCH

    def __init__(
        self,
        kv_cache_spec: AttentionSpec,
        layer_names: list[str],
        vllm_config: VllmConfig,
        device: torch.device,
    ) -> None:
        """Fulfil ``AttentionMetadataBuilder.__init__``, which is abstract."""
        super().__init__(kv_cache_spec, layer_names, vllm_config, device)

    def build(
        self,
        common_prefix_len: int,
        common_attn_metadata: CommonAttentionMetadata,
        fast_build: bool = False,
    ) -> NPUAttentionMetadata:
        """Fulfil ``AttentionMetadataBuilder.build``."""
        common = common_attn_metadata
        requests = common.num_reqs
        if isinstance(common.causal, torch.Tensor):
            raise NotImplementedError("attention that is causal for some requests only is not supported on NPU")
        ends, lengths = acl_graphs.padded(
            batch_lengths.query_ends(common),
            batch_lengths.context_lengths(common, self.vllm_config),
            common.num_actual_tokens,
        )
        of_queries = {"actual_seq_lengths": ends} if attention.packs(self.vllm_config.model_config.dtype) else {}
        acl_graphs.publish(self.layer_names, of_queries | {"actual_seq_lengths_kv": lengths})
        return NPUAttentionMetadata(
            num_actual_tokens=common.num_actual_tokens,
            query_ends=ends,
            context_lengths=lengths,
            block_table=common.block_table_tensor[:requests],
            slot_mapping=common.slot_mapping,
            causal=common.causal,
        )


class NPUAttentionImpl(AttentionImpl[NPUAttentionMetadata]):
    """One attention layer."""

    def __init__(
        self,
        num_heads: int,
        head_size: int,
        scale: float,
        num_kv_heads: int | None = None,
        alibi_slopes: list[float] | None = None,
        sliding_window: int | None = None,
        kv_cache_dtype: str = "auto",
        logits_soft_cap: float | None = None,
        attn_type: str = AttentionType.DECODER,
        kv_sharing_target_layer_name: str | None = None,
    ) -> None:
        """Fulfil ``AttentionImpl.__init__``.

        Raises NotImplementedError for what the operator is not used for.
        """
        unsupported = {
            "ALiBi": alibi_slopes,
            "a soft cap of the logits": logits_soft_cap,
        }
        for name, value in unsupported.items():
            if value is not None:
                raise NotImplementedError(f"attention with {name} is not supported on NPU")
        if attn_type not in (AttentionType.DECODER, AttentionType.ENCODER_DECODER):
            raise NotImplementedError(f"attention of type {attn_type} is not supported on NPU")
        self.num_heads = num_heads
        self.head_size = head_size
        self.scale = float(scale)
        self.num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        self.sliding_window = sliding_window
        self.attn_type = attn_type
        self.kv_cache_dtype = kv_cache_dtype
        self.kv_sharing_target_layer_name = kv_sharing_target_layer_name
        config = get_current_vllm_config_or_none()
        model = None if config is None else config.model_config
        #: Layers with a state, of a hybrid model, use the same blocks.
        self.blocks_with_states = model is not None and model.is_hybrid

    def _caches(self, kv_cache: torch.Tensor) -> kv_cache_layout.Caches:
        if self.blocks_with_states:
            return kv_cache_layout.paired(kv_cache, self.head_size)
        return kv_cache_layout.caches(kv_cache, self.head_size, self.head_size)

    def do_kv_cache_update(
        self,
        layer: AttentionLayer,
        key: torch.Tensor,
        value: torch.Tensor,
        kv_cache: torch.Tensor,
        slot_mapping: torch.Tensor,
    ) -> None:
        """Fulfil ``AttentionImplBase.do_kv_cache_update``: store keys and values in their slots.

        ``vllm::unified_kv_cache_update`` calls it; a layer that shares another one's cache stores nothing.
        """
        if self.kv_sharing_target_layer_name is not None:
            return
        caches = self._caches(kv_cache)
        slots = caches.slots(slot_mapping)
        tokens, heads = len(slots), caches.first.shape[2:]
        kv_cache_ops.reshape_and_cache(
            key[:tokens].view(tokens, *heads), value[:tokens].view(tokens, *heads), caches.first, caches.second, slots
        )

    def forward(
        self,
        layer: AttentionLayer,
        query: torch.Tensor,
        key: torch.Tensor | None,
        value: torch.Tensor | None,
        kv_cache: torch.Tensor,
        attn_metadata: NPUAttentionMetadata | None,
        output: torch.Tensor,
        output_scale: torch.Tensor | None = None,
        output_block_scale: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Fulfil ``AttentionImpl.forward``: attend to what is stored, fill ``output``.

        Without metadata the call belongs to the profile run, where there is no cache. Cross attention brings
        the keys and values of the encoder's tokens with the first token of a request, and no keys later.
        """
        if output_scale is not None or output_block_scale is not None:
            raise NotImplementedError("fused quantisation of the attention output is not supported on NPU")
        if attn_metadata is None:
            return output.zero_()
        tokens = attn_metadata.num_actual_tokens
        caches = self._caches(kv_cache)
        acl_graphs.used_by(layer.layer_name)
        attended = attention.paged_attention(
            query[:tokens].view(tokens, self.num_heads, self.head_size),
            caches.first,
            caches.second,
            query_ends=attn_metadata.query_ends,
            context_lengths=attn_metadata.context_lengths,
            block_table=caches.block_table(attn_metadata.block_table),
            num_kv_heads=self.num_kv_heads,
            scale=self.scale,
            causal=attn_metadata.causal,
            window=attn_metadata.window(self.sliding_window),
        )
        output.view(-1, self.num_heads, self.head_size)[:tokens] = attended
        return output
