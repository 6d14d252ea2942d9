"""The worker process: one NPU."""

import gc
import logging
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import torch
from vllm.config import VllmConfig
from vllm.distributed.parallel_state import get_world_group
from vllm.model_executor.model_loader import get_model_loader
from vllm.platforms import current_platform
from vllm.platforms.interface import set_assigned_physical_gpu_ids
from vllm.utils.mem_utils import MemorySnapshot
from vllm.utils.torch_utils import set_random_seed
from vllm.v1.kv_cache_interface import KVCacheLayout, MambaSpec
from vllm.v1.worker.gpu_worker import Worker, init_worker_distributed_environment
from vllm.v1.worker.utils import request_memory

from ascend_backend.attention import kv_cache_layout
from ascend_backend.kv_offload import connector
from ascend_backend.ops import availability
from ascend_backend.worker import cache_bounds
from ascend_backend.worker.adaptation import adapt
from ascend_backend.worker.device_errors import MemoryGrewError, explained, grown
from ascend_backend.worker.memory_plan import Plan, no_room, unmeasured
from ascend_backend.worker.sleep_mode import NPUSleepModeBackend

if TYPE_CHECKING:
    from vllm.v1.core.sched.output import GrammarOutput, SchedulerOutput
    from vllm.v1.kv_cache_interface import KVCacheConfig
    from vllm.v1.outputs import AsyncModelRunnerOutput, ModelRunnerOutput
    from vllm.v1.worker.gpu_model_runner import GPUModelRunner
    from vllm.v1.worker.worker_base import CompilationTimes


#: vLLM prints what loggers below its own say.
logger = logging.getLogger("vllm.ascend_backend.worker")


class NPUWorker(Worker):
    """vLLM's GPU worker, on an NPU."""

    _plan: Plan | None = None

    def __init__(
        self,
        vllm_config: VllmConfig,
        local_rank: int,
        rank: int,
        distributed_init_method: str,
        is_driver_worker: bool = False,
    ) -> None:
        """Fulfil ``Worker.__init__``, after what vLLM offers no hook for was replaced."""
        adapt()
        super().__init__(vllm_config, local_rank, rank, distributed_init_method, is_driver_worker)

    def init_device(self) -> None:
        """Fulfil ``Worker.init_device``, which accepts CUDA alone.

        Takes the device, joins the process groups, measures the memory and makes the model runner, in
        the order of the stock worker.
        """
        self.device = torch.device(f"{current_platform.device_type}:{self._device_index()}")
        current_platform.set_device(self.device)
        current_platform.check_if_supports_dtype(self.model_config.dtype)
        init_worker_distributed_environment(
            self.vllm_config,
            self.rank,
            self.distributed_init_method,
            self.local_rank,
            current_platform.dist_backend,
        )
        set_random_seed(self.model_config.seed)
        gc.collect()
        torch.accelerator.empty_cache()
        external = get_model_loader(self.load_config).get_external_weight_memory(self.vllm_config)
        self.init_snapshot = MemorySnapshot(device=self.device)
        self.requested_memory = request_memory(self.init_snapshot, self.cache_config, external)
        self._init_workspace_and_model_runner()

    def load_model(self, *, load_dummy_weights: bool = False) -> None:
        """Fulfil ``Worker.load_model``, with words for what goes wrong on a device."""
        with explained():
            super().load_model(load_dummy_weights=load_dummy_weights)

    def determine_available_memory(self) -> int:
        """Fulfil ``Worker.determine_available_memory``: say what takes how much, and what goes wrong on a device."""
        allocated = torch.npu.memory_allocated()
        with explained():
            available = self._measured()
        if self.cache_config.kv_cache_memory_bytes is not None:
            weights = int(self.model_runner.model_memory_usage)
            logger.info(unmeasured(self.init_snapshot.total_memory, weights, available))
        else:
            self._plan = Plan(
                total=self.init_snapshot.total_memory,
                requested=int(self.requested_memory),
                weights=int(self.model_runner.model_memory_usage),
                activations=int(self.peak_activation_memory),
                encoder=self.model_runner.encoder_peak() - allocated if self.model_config.is_multimodal_model else 0,
                kv_cache=available,
            )
            if available > 0:
                logger.info(self._plan.line())
            else:
                logger.error(no_room(self._plan))
        return available

    def _measured(self) -> int:
        """Return what vLLM has measured to be left for the KV cache.

        Raises MemoryGrewError if memory became free meanwhile. Under an external launcher all ranks raise it then:
        each would wait for the others to agree on a size.
        """
        try:
            available = int(super().determine_available_memory())
        except AssertionError as error:
            initial, current = self.init_snapshot.free_memory, torch.npu.mem_get_info()[0]
            if current <= initial:
                raise
            raise MemoryGrewError(" ".join(self._of_all_ranks(grown(initial, current)))) from error
        if lines := self._of_all_ranks(None):
            raise MemoryGrewError(" ".join(lines))
        return available

    def _of_all_ranks(self, line: str | None) -> list[str]:
        """Return the lines of all ranks that have one; those of others only under an external launcher."""
        if self.parallel_config.distributed_executor_backend != "external_launcher":
            return [] if line is None else [line]
        group = get_world_group()
        lines: list[str | None] = [None] * group.world_size
        torch.distributed.all_gather_object(lines, line, group=group.cpu_group)
        return [f"rank {rank}: {each}" for rank, each in enumerate(lines) if each is not None]

    def memory_plan(self) -> dict[str, int]:
        """Return the bytes of weights, activations, encoder profile and KV cache, if measured (``collective_rpc``)."""
        return {} if self._plan is None else self._plan.pieces()

    def compile_or_warm_up_model(self) -> "CompilationTimes":
        """Fulfil ``Worker.compile_or_warm_up_model``, with words for what goes wrong on a device."""
        with explained():
            return super().compile_or_warm_up_model()

    def execute_model(self, scheduler_output: "SchedulerOutput") -> "ModelRunnerOutput | AsyncModelRunnerOutput | None":
        """Fulfil ``Worker.execute_model``, with words for what goes wrong on a device."""
        with explained():
            result = super().execute_model(scheduler_output)
        if (outputs := self.model_runner.encoder_outputs()) is not None:
            outputs.give_back()
        return result

    def sample_tokens(self, grammar_output: "GrammarOutput | None") -> "ModelRunnerOutput | AsyncModelRunnerOutput":
        """Fulfil ``Worker.sample_tokens``, with words for what goes wrong on a device."""
        with explained():
            return super().sample_tokens(grammar_output)

    def wake_up(self, tags: list[str] | None = None) -> None:
        """Fulfil ``Worker.wake_up``, with words for what goes wrong on a device."""
        with explained():
            super().wake_up(tags)

    def _device_index(self) -> int:
        """Return the visible index of this worker's device.

        Data-parallel replicas lie side by side, unless vLLM has named the devices of this one: it does that
        for engines on devices that are neither CUDA's nor Intel's.
        """
        parallel = self.parallel_config
        ids = parallel.assigned_physical_gpu_ids
        if ids is not None:
            set_assigned_physical_gpu_ids(ids)
        named = ids is not None and len(ids) <= parallel.local_world_size
        if not named:
            self.local_rank = parallel.get_local_gpu_index(self.local_rank)
        return current_platform.logical_device_id_to_visible_device_id(self.local_rank)

    @property
    def sleep_mode_backend(self) -> NPUSleepModeBackend:
        """Fulfil ``Worker.sleep_mode_backend``: the one that needs no allocator, whatever the name asked for."""
        if self._sleep_mode_backend is None:
            self._sleep_mode_backend = NPUSleepModeBackend(self.model_runner)
        return self._sleep_mode_backend

    def _maybe_get_memory_pool_context(self, tag: str) -> AbstractContextManager[None]:
        """Fulfil ``Worker._maybe_get_memory_pool_context``: the CuMem allocator is CUDA's."""
        return nullcontext()

    def initialize_from_config(self, kv_cache_config: "KVCacheConfig") -> None:
        """Fulfil ``Worker.initialize_from_config``.

        Raises ValueError for caches that cannot share blocks or are too large for the operators, ImportError where
        torch_npu lacks operators for layers that keep states.
        """
        specs = [group.kv_cache_spec for group in kv_cache_config.kv_cache_groups]
        if any(isinstance(spec, MambaSpec) for spec in specs):
            availability.require(availability.GATED_DELTA_NET)
        elif len(specs) > 1:
            kv_cache_layout.require_one_shape([(s.num_kv_heads, s.head_size, s.block_size, s.dtype) for s in specs])
        cache_bounds.require_countable(self.vllm_config, kv_cache_config)
        with explained():
            super().initialize_from_config(kv_cache_config)

    def get_supported_kv_cache_layouts(self) -> list[str]:
        """Fulfil ``WorkerBase.get_supported_kv_cache_layouts``: the layer inside the block, where offloading asks."""
        if connector.shares_blocks(self.vllm_config, self.model_runner.get_kv_cache_spec()):
            return [KVCacheLayout.BLNHC.name]
        return super().get_supported_kv_cache_layouts()

    def encoder_cache_info(self) -> dict[str, int]:
        """Return how many outputs of encoders this worker keeps and their bytes (``collective_rpc``)."""
        outputs = self.model_runner.encoder_outputs()
        return {} if outputs is None else outputs.information()

    def _make_model_runner(self) -> "GPUModelRunner":
        """Fulfil ``Worker._make_model_runner``: V1 or V2, as vLLM's configuration decides."""
        if self.use_v2_model_runner:
            from ascend_backend.worker.model_runner_v2 import NPUModelRunnerV2

            return NPUModelRunnerV2(self.vllm_config, self.device)  # type: ignore[return-value]
        from ascend_backend.worker.model_runner_v1 import NPUModelRunner

        return NPUModelRunner(self.vllm_config, self.device)
