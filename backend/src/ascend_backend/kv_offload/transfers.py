"""KV cache blocks in host memory, for vLLM's ``OffloadingConnector``.

A block has two runs of bytes on the device, keys and values (of MLA: latents and rotated keys): of all layers
where the layers share an allocation (``attention.cross_layer``), or of each layer.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from vllm.v1.kv_offload.base import (
    BlockIDsLoadStoreSpec,
    CanonicalKVCaches,
    CanonicalKVCacheTensor,
    GPULoadStoreSpec,
    LoadStoreSpec,
    OffloadingWorker,
    TransferResult,
)
from vllm.v1.kv_offload.cpu.spec import CPUOffloadingSpec

from ascend_backend.kv_offload import connector

if TYPE_CHECKING:
    from numpy.typing import NDArray


def runs(tensor: CanonicalKVCacheTensor, parts: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the two parts of the cache that vLLM describes as pages, each [blocks, bytes].

    ``parts`` are the sizes of a token's keys and values, in elements. The backend's caches have the first part
    of all blocks before the second, so vLLM's page of a block is not what belongs to the block.
    """
    blocks, flat = len(tensor.tensor), tensor.tensor.view(-1)
    border = flat.numel() * parts[0] // sum(parts)
    return flat[:border].view(blocks, -1), flat[border:].view(blocks, -1)


def places(
    blocks: "NDArray[Any]", chunks: "NDArray[Any]", sizes: Sequence[int], firsts: Sequence[int], per_chunk: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield (group, block on the device, chunk on the host, place in the chunk) of a transfer.

    Each group has its own ``sizes`` and number of its first block, counted from the start of the request: the
    first chunk may be met in its middle.
    """
    block = chunk = 0
    for group, (size, first) in enumerate(zip(sizes, firsts, strict=True)):
        skipped = first % per_chunk
        for number in range(size):
            ahead, place = divmod(skipped + number, per_chunk)
            yield group, int(blocks[block + number]), int(chunks[chunk + ahead]), place
        block += size
        chunk += -(-(skipped + size) // per_chunk) if size else 0


@dataclass(frozen=True)
class HostMemory:
    """Memory of the host for chunks of blocks."""

    #: Returns memory for one cache, int8 [chunks, bytes of a chunk], for those bytes.
    take: Callable[[int], torch.Tensor]
    give_back: Callable[[], None]


def pinned(chunks: int) -> HostMemory:
    """Return memory that this process alone sees; it goes with its last tensor."""
    return HostMemory(
        lambda size: torch.zeros((chunks, size), dtype=torch.int8, device="cpu", pin_memory=True), lambda: None
    )


@dataclass
class _Job:
    number: int
    bytes: int
    start: float
    done: torch.Event


class NPUOffloadingWorker(OffloadingWorker):
    """Copies runs of bytes between the device's cache and the host, in the order of the jobs."""

    def __init__(self, caches: CanonicalKVCaches, parts: Sequence[int], per_chunk: int, memory: HostMemory) -> None:
        """Fulfil ``OffloadingWorker.__init__``: take ``memory`` for chunks of ``per_chunk`` blocks."""
        pairs = []
        for tensor in caches.tensors:
            on_device = runs(tensor, parts)
            lengths = [run.shape[1] for run in on_device]
            chunks = memory.take(per_chunk * sum(lengths)).split([per_chunk * length for length in lengths], dim=1)
            on_host = [each.unflatten(1, (per_chunk, length)) for each, length in zip(chunks, lengths, strict=True)]
            pairs.append(list(zip(on_device, on_host, strict=True)))
        #: By group: its runs on the device and on the host.
        self._groups = [[pair for ref in refs for pair in pairs[ref.tensor_idx]] for refs in caches.group_data_refs]
        self._memory = memory
        self._per_chunk = per_chunk
        self._stream = torch.npu.Stream()
        self._jobs: deque[_Job] = deque()
        #: Blocks and runs moved until now.
        self.blocks = self.copies = 0

    def submit_store(self, job_id: int, src_spec: GPULoadStoreSpec, dst_spec: LoadStoreSpec) -> bool:
        """Fulfil ``OffloadingWorker.submit_store``: device to host."""
        return self._submit(job_id, src_spec, dst_spec, store=True)

    def submit_load(
        self, job_id: int, src_spec: LoadStoreSpec, dst_spec: GPULoadStoreSpec, expedited: bool = False
    ) -> bool:
        """Fulfil ``OffloadingWorker.submit_load``: host to device; none queues behind others."""
        return self._submit(job_id, dst_spec, src_spec, store=False)

    def _submit(self, job: int, blocks: GPULoadStoreSpec, chunks: LoadStoreSpec, store: bool) -> bool:
        if not isinstance(chunks, BlockIDsLoadStoreSpec):
            raise TypeError(f"blocks go to chunks of the host's memory, not to {type(chunks).__name__}")
        start, moved = time.perf_counter(), 0
        # What the model has been told to write comes first, and what it reads next comes after.
        self._stream.wait_stream(torch.npu.current_stream())
        with torch.npu.stream(self._stream):
            found = places(blocks.block_ids, chunks.block_ids, blocks.group_sizes, blocks.block_indices, self._per_chunk)
            for group, block, chunk, place in found:
                self.blocks += 1
                for on_device, on_host in self._groups[group]:
                    here, there = on_device[block], on_host[chunk, place]
                    (there if store else here).copy_(here if store else there, non_blocking=True)
                    moved += here.numel()
                    self.copies += 1
            done = torch.npu.Event()
            done.record(self._stream)
        self._jobs.append(_Job(job, moved, start, done))
        return True

    def get_finished(self) -> list[TransferResult]:
        """Fulfil ``OffloadingWorker.get_finished``."""
        finished = []
        while self._jobs and self._jobs[0].done.query():
            job = self._jobs.popleft()
            finished.append(TransferResult(job.number, True, job.bytes, time.perf_counter() - job.start))
        return finished

    def wait(self, job_ids: set[int]) -> None:
        """Fulfil ``OffloadingWorker.wait``."""
        for job in self._jobs:
            if job.number in job_ids:
                job.done.synchronize()

    def shutdown(self) -> None:
        """Fulfil ``OffloadingWorker.shutdown``."""
        self.wait({job.number for job in self._jobs})
        self._jobs.clear()
        self._groups.clear()
        self._memory.give_back()


class NPUOffloadingSpec(CPUOffloadingSpec):
    """vLLM's bookkeeping of host memory with the transfers of an NPU."""

    _npu_worker: NPUOffloadingWorker | None = None

    def get_worker(self, kv_caches: CanonicalKVCaches) -> OffloadingWorker:
        """Fulfil ``CPUOffloadingSpec.get_worker``, whose own worker copies by CUDA's means."""
        if self._npu_worker is None:
            extra: Mapping[str, Any] = self.extra_config
            parts, per_chunk = extra[connector.PARTS], self.blocks_per_chunk
            self._npu_worker = NPUOffloadingWorker(kv_caches, parts, per_chunk, self.host_memory())
        return self._npu_worker

    def host_memory(self) -> HostMemory:
        """Return the memory of this worker."""
        return pinned(int(self.extra_config["cpu_bytes_to_use"]) // self.kv_bytes_per_chunk)
