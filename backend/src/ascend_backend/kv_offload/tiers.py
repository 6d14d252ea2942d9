"""Blocks in host memory and in vLLM's secondary tiers, such as a folder that several engines share."""

from vllm.v1.kv_offload.cpu.shared_offload_region import SharedOffloadRegion
from vllm.v1.kv_offload.tiering.spec import TieringOffloadingSpec

from ascend_backend.kv_offload.transfers import HostMemory, NPUOffloadingSpec


class NPUTieringOffloadingSpec(NPUOffloadingSpec, TieringOffloadingSpec):
    """vLLM's tiers over the transfers of an NPU: the scheduler sees the workers' memory too, and moves it on."""

    def host_memory(self) -> HostMemory:
        """Fulfil ``NPUOffloadingSpec.host_memory``: this worker's part of what the tiers read and write."""
        region = SharedOffloadRegion(
            engine_id=self._engine_id,
            num_chunks=self.num_chunks,
            # Workers that all keep the same write it to one place.
            rank=0 if self.replicated_layout else self.config.parallel.rank % self.config.parallel.world_size,
            kv_bytes_per_chunk=self.kv_bytes_per_chunk,
            cpu_page_size=self.cpu_page_size_per_worker,
        )
        return HostMemory(region.create_next_worker_view, region.cleanup)
