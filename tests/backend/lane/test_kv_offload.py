"""Blocks that go to the host come back to where they were, whole, and nothing else moves."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from ascend_backend.attention import kv_cache_layout
from ascend_backend.attention.cross_layer import CrossLayerCache, LayerCache
from ascend_backend.kv_offload import connector
from ascend_backend.kv_offload.transfers import HostMemory, NPUOffloadingWorker, pinned, places, runs
from vllm.v1.kv_cache_interface import FullAttentionSpec, MLAAttentionSpec, SlidingWindowSpec
from vllm.v1.kv_offload.base import (
    CanonicalKVCacheRef,
    CanonicalKVCaches,
    CanonicalKVCacheTensor,
    GPULoadStoreSpec,
)
from vllm.v1.kv_offload.cpu.common import CPULoadStoreSpec

from tests.backend.lane.cross_layer_memory import allocate

BLOCK = 128


def views(cache: CrossLayerCache) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """The allocation as bytes and vLLM's view of every layer: [blocks, heads, block_size, content]."""
    layer, buffer = cache.layer, allocate(cache)
    content = sum(layer.sizes)
    whole = buffer.view(layer.dtype).view(cache.blocks, cache.layers, layer.block_size, layer.heads, content)
    return buffer, list(whole.permute(1, 0, 3, 2, 4))


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize(("heads", "sizes"), [(2, (32, 32)), (1, (512, 64))])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_what_every_layer_writes_is_offloaded_and_reloaded(
    layers: int, heads: int, sizes: tuple[int, int], dtype: torch.dtype
) -> None:
    cache = CrossLayerCache(LayerCache(BLOCK, heads, sizes, dtype), layers, blocks=5)
    buffer, by_layer = views(cache)
    slots = torch.tensor([BLOCK, 2 * BLOCK - 1, 3 * BLOCK + 7])
    for number, view in enumerate(by_layer):
        caches = kv_cache_layout.caches(view, *sizes)
        assert caches.first.is_contiguous()
        assert caches.second.is_contiguous()
        for part, value in ((caches.first, number + 1), (caches.second, -number - 1)):
            part.view(-1, *part.shape[2:])[caches.slots(slots)] = value
    filled = buffer.clone()
    # Every layer wrote its own places: as many bytes as it has.
    written = 3 * layers * heads * sum(sizes)
    assert int((filled.view(dtype) != 0).sum()) == written

    page = buffer.nbytes // cache.blocks
    worker = NPUOffloadingWorker(
        CanonicalKVCaches(
            [CanonicalKVCacheTensor(buffer.view(cache.blocks, page), page)], [[CanonicalKVCacheRef(0, page)]]
        ),
        sizes,
        per_chunk=1,
        memory=pinned(4),
    )
    host = CPULoadStoreSpec([3, 0])
    assert worker.submit_store(1, GPULoadStoreSpec([1, 3], [2], [0]), host)
    buffer.zero_()
    assert worker.submit_load(2, host, GPULoadStoreSpec([1, 3], [2], [0]))
    worker.wait({1, 2})
    assert [job.job_id for job in worker.get_finished()] == [1, 2]
    assert torch.equal(buffer, filled)
    assert (worker.blocks, worker.copies) == (4, 8)
    # Elsewhere, the same bytes are the other blocks'.
    buffer.zero_()
    assert worker.submit_load(3, host, GPULoadStoreSpec([2, 4], [2], [0]))
    there = torch.tensor([2 * BLOCK, 3 * BLOCK - 1, 4 * BLOCK + 7])
    for number, view in enumerate(by_layer):
        caches = kv_cache_layout.caches(view, *sizes)
        for part, value in ((caches.first, number + 1), (caches.second, -number - 1)):
            found = part.view(-1, *part.shape[2:])[caches.slots(there)]
            assert (found == value).all()
    assert int((buffer.view(dtype) != 0).sum()) == written
    worker.shutdown()


def test_a_layer_with_an_allocation_of_its_own_is_not_taken_for_a_part_of_one() -> None:
    cache = torch.zeros(3, BLOCK, 2, 64).permute(0, 2, 1, 3)
    caches = kv_cache_layout.caches(cache, 32, 32)
    table, slots = torch.tensor([[2, 1]]), torch.tensor([BLOCK + 5, -1])
    assert caches.shared is None
    assert torch.equal(caches.block_table(table), table)
    assert caches.slots(slots).tolist() == [BLOCK + 5, 1]


def test_layers_of_one_group_in_one_allocation_one_after_the_other() -> None:
    buffer = torch.zeros(2 * 3 * BLOCK * 2 * 64)
    second = buffer.view(2, 3, BLOCK, 2, 64).permute(0, 1, 3, 2, 4)[1]
    caches = kv_cache_layout.caches(second, 32, 32)
    assert caches.shared is None
    assert caches.first.data_ptr() == second.data_ptr()


def test_chunks_are_met_in_their_middle() -> None:
    found = list(places(np.array([7, 8, 9, 4]), np.array([2, 5, 1]), [3, 1], [1, 4], per_chunk=2))
    assert found == [(0, 7, 2, 1), (0, 8, 5, 0), (0, 9, 5, 1), (1, 4, 1, 0)]


def test_runs_of_a_page_are_its_two_parts() -> None:
    tensor = CanonicalKVCacheTensor(torch.arange(12, dtype=torch.int8).view(2, 6), 6)
    first, second = runs(tensor, (2, 1))
    assert (first.tolist(), second.tolist()) == ([[0, 1, 2, 3], [4, 5, 6, 7]], [[8, 9], [10, 11]])


def full(**changes: int) -> FullAttentionSpec:
    return FullAttentionSpec(
        **({"block_size": BLOCK, "num_kv_heads": 2, "head_size": 32} | changes), dtype=torch.float32
    )


def test_uniform_layers_share_blocks_and_others_are_told_why_not() -> None:
    sizes, blocks = (32, 32), (128, 256)
    assert connector.obstacle({"a": full(), "b": full()}, sizes, blocks) is None
    assert "layer 1 keeps" in str(connector.obstacle({"a": full(), "b": full(num_kv_heads=1)}, sizes, blocks))
    window = SlidingWindowSpec(
        block_size=BLOCK, num_kv_heads=2, head_size=32, dtype=torch.float32, sliding_window=64
    )
    mixed = connector.obstacle({"a": full(), "b": window}, sizes, blocks)
    assert mixed == "its layers keep different things (FullAttentionSpec, SlidingWindowSpec)"
    assert connector.obstacle({"a": full(block_size=512)}, sizes, blocks) == (
        "the operators take blocks of 128, 256 tokens, not of 512"
    )
    latent = MLAAttentionSpec(block_size=BLOCK, num_kv_heads=1, head_size=576, dtype=torch.float32)
    assert connector.obstacle({"a": latent}, (512, 64), (128,)) is None


def test_one_line_says_why_layers_do_not_share_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(connector.logger, "info", lambda text, *values: lines.append(text % values))
    model = SimpleNamespace(use_mla=False, get_head_size=lambda: 32)
    extra: dict[str, object] = {}
    config = SimpleNamespace(
        kv_transfer_config=SimpleNamespace(kv_connector_extra_config=extra), model_config=model
    )
    assert not connector.shares_blocks(config, {"a": full(), "b": full()})
    extra["cross_layer_blocks"] = True
    assert connector.shares_blocks(config, {"a": full(), "b": full()})
    assert not lines
    assert not connector.shares_blocks(config, {"a": full(block_size=64)})
    assert lines == [
        "The KV cache is offloaded layer by layer, not in blocks of all layers: the operators take blocks of "
        "128, 256, 384, 512 tokens, not of 64"
    ]
    extra["cross_layer_blocks"] = False
    assert not connector.shares_blocks(config, {"a": full(), "b": full()})
    config.kv_transfer_config = None
    assert not connector.shares_blocks(config, {"a": full(), "b": full()})
    assert len(lines) == 1


def asked(name: str = "OffloadingConnector", **extra: object) -> SimpleNamespace:
    return SimpleNamespace(kv_connector=name, kv_connector_extra_config=extra)


MODEL = SimpleNamespace(use_mla=False, get_head_size=lambda: 32)


@pytest.mark.parametrize(
    ("extra", "spec", "module", "inside"),
    [
        ({"cpu_bytes_to_use": 1}, "NPUOffloadingSpec", "transfers", False),
        ({"cross_layer_blocks": True}, "NPUOffloadingSpec", "transfers", True),
        ({"spec_name": "TieringOffloadingSpec"}, "NPUTieringOffloadingSpec", "tiers", True),
    ],
)
def test_the_backends_spec_is_named_to_vllm_once_and_again(
    extra: dict[str, object], spec: str, module: str, inside: bool
) -> None:
    transfer = asked(**extra)
    for _ in range(2):
        connector.configure(transfer, MODEL)
        assert transfer.kv_connector_extra_config == extra | {
            "spec_name": spec,
            "spec_module_path": f"ascend_backend.kv_offload.{module}",
            "npu_parts": [32, 32],
            "cross_layer_blocks": inside,
        }


@pytest.mark.parametrize("transfer", [asked("NixlConnector"), asked(spec_name="CPUOffloadingSpec")])
def test_other_connectors_are_refused_with_the_one_that_is_served(transfer: SimpleNamespace) -> None:
    with pytest.raises(
        ValueError,
        match=r"is not supported on NPU.*OffloadingConnector is, with NPUOffloadingSpec or TieringOffloadingSpec",
    ):
        connector.configure(transfer, MODEL)


def test_tiers_are_refused_with_layers_apart() -> None:
    with pytest.raises(
        ValueError, match=r"TieringOffloadingSpec keeps blocks of all layers.*cross_layer_blocks"
    ):
        connector.configure(asked(spec_name="TieringOffloadingSpec", cross_layer_blocks=False), MODEL)


def test_memory_that_the_tiers_see_holds_a_chunk_in_one_row() -> None:
    rows = torch.zeros(3, 64, dtype=torch.int8)
    given: list[int] = []
    memory = HostMemory(lambda size: (given.append(size), rows[:, 4 : 4 + size])[1], given.clear)
    pages = torch.arange(1, 25, dtype=torch.int8).view(2, 12)
    caches = CanonicalKVCaches([CanonicalKVCacheTensor(pages, 12)], [[CanonicalKVCacheRef(0, 12)]])
    worker = NPUOffloadingWorker(caches, (2, 1), per_chunk=2, memory=memory)
    assert given == [24]
    worker.submit_store(1, GPULoadStoreSpec([1, 0], [2], [0]), CPULoadStoreSpec([2]))
    worker.wait({1})
    # Both blocks' first parts, then their second parts; the first parts of all blocks lead the cache.
    assert rows[2, 4:28].tolist() == [*range(9, 17), *range(1, 9), *range(21, 25), *range(17, 21)]
    assert not rows[:2].any()
    assert not rows[2, 28:].any()
    worker.shutdown()
    assert given == []
