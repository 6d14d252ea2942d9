"""How large a cache the attention operators take: torch_npu documents that they count its numbers in int32."""

from typing import TYPE_CHECKING

from ascend_backend.kv_offload import connector

if TYPE_CHECKING:
    from vllm.config import VllmConfig
    from vllm.v1.kv_cache_interface import KVCacheConfig

_LARGEST = (1 << 31) - 1


def require_countable(config: "VllmConfig", caches: "KVCacheConfig") -> None:
    """Raise ValueError, with what to set, if keys or values of a cache that an operator sees are more than it counts.

    Of layers with an allocation of their own it sees those of one layer, of layers inside blocks those of all; where
    blocks are shared with states of other layers, keys and values together.
    """
    from vllm.v1.kv_cache_interface import AttentionSpec

    model = config.model_config
    specs = {name: group.kv_cache_spec for group in caches.kv_cache_groups for name in group.layer_names}
    attention = [spec for spec in specs.values() if isinstance(spec, AttentionSpec)]
    if not attention:
        return
    inside = connector.asked(config) and connector.obstacle_of(config, specs) is None
    of_token = max(connector.parts(model)) * (2 if model.is_hybrid else 1) * (len(specs) if inside else 1)
    of_block = of_token * max(spec.block_size * spec.num_kv_heads for spec in attention)
    if caches.num_blocks * of_block > _LARGEST:
        apart = f", or leave {connector.CROSS_LAYER} out of kv_connector_extra_config" if inside else ""
        raise ValueError(
            f"attention on NPU counts the numbers of a cache in int32, and {caches.num_blocks} blocks are "
            f"{caches.num_blocks * of_block} of them: set --num-gpu-blocks-override {_LARGEST // of_block}{apart}"
        )
