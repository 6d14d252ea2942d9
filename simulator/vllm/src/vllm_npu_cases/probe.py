"""The probe with which the check reads values in vLLM's workers, wherever they run.

vLLM alone imports this module, in every process with a worker, before the worker has a device or a model. On a
real device the counting of operators begins then.
"""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases import counting, faults

if TYPE_CHECKING:
    from vllm.v1.worker.gpu_worker import Worker as _Base
else:
    _Base = object

if not counting.simulated():
    counting.begin()
# A worker may be a process that was not forked from the engine's.
faults.plant()


class Probe(_Base):
    """Methods for ``LLM.collective_rpc``."""

    def probe_operators(self, clear: bool = False) -> dict[str, int]:
        """Return the calls of every operator in this process; ``clear`` starts again at zero."""
        return counting.operators(clear)

    def probe_attention(self, names: list[str]) -> dict[str, int]:
        """Return the calls of the backend's attention functions that are counted, and count these from now on."""
        from ascend_backend.ops import attention

        return counting.functions(attention, names)

    def probe_heads(self) -> dict[str, int]:
        """Return the query heads of this worker in each of the attention layers that it has."""
        layers: Any = self.vllm_config.compilation_config.static_forward_context
        return {name: int(layer.num_heads) for name, layer in layers.items()}

    def probe_runner(self) -> str:
        """Return the class of the model runner."""
        runner: Any = type(self.model_runner)
        return f"{runner.__module__}.{runner.__qualname__}"

    def probe_memory(self) -> dict[str, int]:
        """Return the bytes of weights and KV caches, and those that the device has free beside all tensors."""
        import torch
        from torch.utils._pytree import tree_leaves

        runner: Any = self.model_runner
        weights = {each.untyped_storage() for each in runner.model.parameters()}
        # Of a layer, one tensor or several.
        caches = {each.untyped_storage() for each in tree_leaves(list(runner.kv_caches))}
        # What a profile has used and given back is nobody's.
        torch.npu.empty_cache()
        held = {"weights": sum(map(len, weights)), "kv_cache": sum(map(len, caches))}
        return held | {"free": torch.npu.mem_get_info()[0]}

    def probe_host_waits(self) -> dict[str, Any]:
        """Return how often the host waited for the device, by line, since the first call, and the steps that decode."""
        from vllm_npu_cases.host_waits import HostWaits

        if not hasattr(self, "_host_waits"):
            self._host_waits = HostWaits(self)
        found = self._host_waits
        return {"decoding": dict(found.decoding), "others": dict(found.others), "steps": found.steps}

    def probe_encoder_cache(self) -> int:
        """Return how many encoder outputs are kept."""
        kept: Any = self.model_runner.encoder_cache
        # V2 keeps them in an object of its own.
        return len(getattr(kept, "encoder_outputs", kept))

    def probe_tensors(self) -> int:
        """Return the bytes of all tensors of this process."""
        import gc

        import torch

        gc.collect()
        storages = {}
        for each in gc.get_objects():
            if isinstance(each, torch.Tensor) and each.layout == torch.strided:
                storage = each.untyped_storage()
                storages[storage._cdata] = storage.nbytes()
        return sum(storages.values())

    def probe_offloading(self) -> dict[str, Any]:
        """Return the blocks and runs of bytes that were moved, and the layout of the cache."""
        from vllm.distributed.kv_transfer import get_kv_transfer_group

        worker: Any = get_kv_transfer_group()
        moved = worker.connector_worker.worker
        return {"blocks": moved.blocks, "copies": moved.copies}

    def probe_experts(self) -> int:
        """Return how many experts of a layer this worker has."""
        runner: Any = self.model_runner
        return int(next(each for name, each in runner.model.named_parameters() if name.endswith("w13_weight")).shape[0])

    def probe_graphs(self) -> dict[str, int]:
        """Return how many graphs were captured, and how often one was replayed, in this process."""
        from vllm_npu_cases.plugins import plugin

        return plugin().graphs()
