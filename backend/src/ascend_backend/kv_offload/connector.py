"""Which KV connector a configuration asks for, and whether it gets blocks of all layers."""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ascend_backend.attention import cross_layer

if TYPE_CHECKING:
    from vllm.config import KVTransferConfig, ModelConfig, VllmConfig
    from vllm.v1.kv_cache_interface import KVCacheSpec

#: vLLM prints what loggers below its own say.
logger = logging.getLogger("vllm.ascend_backend.offloading")

CONNECTOR = "OffloadingConnector"
SPEC = "NPUOffloadingSpec"
#: The specs that can be asked for, the backend's class and the module in which it is.
SPECS = {
    SPEC: (SPEC, "ascend_backend.kv_offload.transfers"),
    "TieringOffloadingSpec": ("NPUTieringOffloadingSpec", "ascend_backend.kv_offload.tiers"),
}
#: The switch of ``kv_connector_extra_config`` that puts the layers inside the block. Tiers keep no other blocks.
CROSS_LAYER = "cross_layer_blocks"
#: vLLM's, which asks for files that engines of any device can read.
CANONICAL = "canonical_layout"
#: Where the offloading spec finds the sizes of a token's keys and values.
PARTS = "npu_parts"


def parts(model: "ModelConfig") -> tuple[int, int]:
    """Return the sizes of what a token keeps for a head: keys and values, or latent and rotated key."""
    if model.use_mla:
        text = model.hf_text_config
        return (text.kv_lora_rank, text.qk_rope_head_dim)
    return (model.get_head_size(), model.get_head_size())


def configure(transfer: "KVTransferConfig", model: "ModelConfig") -> None:
    """Name the backend's offloading spec to vLLM. Raises ValueError for a connector that it does not serve.

    Others read and write a block's bytes where vLLM says that they are; the attention operators demand keys
    and values in separate contiguous tensors, so they are elsewhere.
    """
    extra = transfer.kv_connector_extra_config
    asked = extra.get("spec_name", SPEC)
    spec, module = next((own for name, own in SPECS.items() if asked in (name, own[0])), (None, None))
    if transfer.kv_connector != CONNECTOR or spec is None:
        refused = transfer.kv_connector if transfer.kv_connector != CONNECTOR else f"{CONNECTOR} with {asked}"
        raise ValueError(
            f"{refused} is not supported on NPU, where keys and values of a block lie apart; of vLLM's KV connectors "
            f"{CONNECTOR} is, with {' or '.join(SPECS)}: leave spec_name out of kv_connector_extra_config"
        )
    layouts = {CROSS_LAYER: extra.setdefault(CROSS_LAYER, spec != SPEC), CANONICAL: not extra.get(CANONICAL, False)}
    if spec != SPEC and not all(layouts.values()):
        unfit = next(name for name, fits in layouts.items() if not fits)
        raise ValueError(
            f"{asked} keeps blocks of all layers on NPU, as other engines read them: leave {unfit} out of "
            f"kv_connector_extra_config"
        )
    extra |= {"spec_name": spec, "spec_module_path": module, PARTS: list(parts(model))}


def asked(config: "VllmConfig") -> bool:
    """Return whether the layers are wanted inside the block."""
    transfer = config.kv_transfer_config
    return transfer is not None and bool(transfer.kv_connector_extra_config.get(CROSS_LAYER, False))


def shares_blocks(config: "VllmConfig", specs: "Mapping[str, KVCacheSpec]") -> bool:
    """Return whether the layers get one allocation with the layer inside the block; if not, one line says why."""
    if not asked(config):
        return False
    reason = obstacle_of(config, specs)
    if reason is not None:
        logger.info("The KV cache is offloaded layer by layer, not in blocks of all layers: %s", reason)
    return reason is None


def obstacle_of(config: "VllmConfig", specs: "Mapping[str, KVCacheSpec]") -> str | None:
    """Return in words why the layers of a configuration cannot share blocks, or None."""
    from ascend_backend.attention.mla import NPUMLABackend
    from ascend_backend.attention.paged import NPUAttentionBackend

    backend = NPUMLABackend if config.model_config.use_mla else NPUAttentionBackend
    taken = tuple(size for size in backend.get_supported_kernel_block_sizes() if isinstance(size, int))
    return obstacle(specs, parts(config.model_config), taken)


def obstacle(specs: "Mapping[str, KVCacheSpec]", sizes: tuple[int, int], kernel_blocks: tuple[int, ...]) -> str | None:
    """Return in words why the layers cannot share blocks, or None."""
    from vllm.v1.kv_cache_interface import AttentionSpec

    kinds = {type(spec).__name__ for spec in specs.values()}
    if len(kinds) > 1:
        return f"its layers keep different things ({', '.join(sorted(kinds))})"
    caches = []
    for name, spec in specs.items():
        if not isinstance(spec, AttentionSpec):
            return f"{name} keeps no keys and values ({type(spec).__name__})"
        if spec.head_size not in (sizes[0], sum(sizes)):
            return f"{name} keeps {spec.head_size} values a head"
        caches.append(cross_layer.LayerCache(spec.block_size, spec.num_kv_heads, sizes, spec.dtype))
    found = cross_layer.uniform(caches)
    if isinstance(found, str):
        return found
    if found.block_size not in kernel_blocks:
        return f"the operators take blocks of {', '.join(map(str, kernel_blocks))} tokens, not of {found.block_size}"
    return None
