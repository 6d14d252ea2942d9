"""The platform class: what vLLM asks about the device before and while it runs."""

import os
from typing import TYPE_CHECKING

import torch
from vllm.logger import init_logger
from vllm.platforms.interface import DeviceCapability, Platform, PlatformEnum

from ascend_backend import environment
from ascend_backend.compilation import capture_sizes
from ascend_backend.encoder_cache import bounds
from ascend_backend.kv_offload import connector

if TYPE_CHECKING:
    from vllm.config import VllmConfig
    from vllm.v1.attention.backends.mla.prefill.base import MLAPrefillBackend
    from vllm.v1.attention.backends.mla.prefill.selector import MLAPrefillSelectorConfig
    from vllm.v1.attention.backends.registry import AttentionBackendEnum
    from vllm.v1.attention.selector import AttentionSelectorConfig

#: Below vLLM's own logger, which has the handlers.
logger = init_logger("vllm.ascend_backend")


class NPUPlatform(Platform):
    """An Ascend NPU, out of tree."""

    _enum = PlatformEnum.OOT
    # vLLM builds torch.device(f"{device_name}:{index}") for out-of-tree platforms.
    device_name: str = "npu"
    device_type: str = "npu"
    dispatch_key: str = "PrivateUse1"
    dist_backend: str = "hccl"
    simple_compile_backend: str = "eager"
    ray_device_key: str = "NPU"
    device_control_env_var: str = "ASCEND_RT_VISIBLE_DEVICES"

    def is_sleep_mode_available(self) -> bool:
        """Fulfil ``Platform.is_sleep_mode_available``: see ``ascend_backend.worker.sleep_mode``."""
        return True

    @classmethod
    def import_kernels(cls) -> None:
        """Fulfil ``Platform.import_kernels``: ``vllm._C`` does not exist for this device."""

    @classmethod
    def get_device_capability(cls, device_id: int = 0) -> DeviceCapability | None:
        """Fulfil ``Platform.get_device_capability``: NPUs have no CUDA compute capability."""
        return None

    @classmethod
    def get_device_name(cls, device_id: int = 0) -> str:
        """Fulfil ``Platform.get_device_name``."""
        return str(torch.npu.get_device_name(device_id))

    @classmethod
    def get_device_total_memory(cls, device_id: int = 0) -> int:
        """Fulfil ``Platform.get_device_total_memory``, in bytes."""
        return int(torch.npu.get_device_properties(device_id).total_memory)

    @classmethod
    def num_compute_units(cls, device_id: int = 0) -> int:
        """Fulfil ``Platform.num_compute_units``: AI cores."""
        return int(torch.npu.get_device_properties(device_id).cube_core_num)

    @classmethod
    def set_device(cls, device: torch.device) -> None:
        """Fulfil ``Platform.set_device``."""
        torch.npu.set_device(device)

    @classmethod
    def manual_seed_all(cls, seed: int) -> None:
        """Fulfil ``Platform.manual_seed_all``."""
        torch.npu.manual_seed_all(seed)

    @classmethod
    def get_current_memory_usage(cls, device: torch.types.Device | None = None) -> float:
        """Fulfil ``Platform.get_current_memory_usage``: the peak in bytes."""
        torch.npu.reset_peak_memory_stats(device)
        return float(torch.npu.max_memory_allocated(device))

    @classmethod
    def check_if_supports_dtype(cls, dtype: torch.dtype) -> None:
        """Fulfil ``Platform.check_if_supports_dtype``: operators check their own dtypes."""

    @classmethod
    def verify_quantization(cls, quant: str) -> None:
        """Fulfil ``Platform.verify_quantization``. Raises ValueError for what ``layers.int8`` does not read."""
        if quant not in ("compressed-tensors", "ascend"):
            # The layers exist only once vLLM is imported.
            from ascend_backend.layers import int8

            raise int8.refused(f"quantization {quant}")

    @classmethod
    def support_hybrid_kv_cache(cls) -> bool:
        """Fulfil ``Platform.support_hybrid_kv_cache``: groups may share bytes (``attention.kv_cache_layout``)."""
        return True

    @classmethod
    def support_static_graph_mode(cls) -> bool:
        """Fulfil ``Platform.support_static_graph_mode``: ACL graphs (see ``compilation.acl_graphs``)."""
        return True

    @classmethod
    def get_static_graph_wrapper_cls(cls) -> str:
        """Fulfil ``Platform.get_static_graph_wrapper_cls``: vLLM's own, whose graphs are ACL graphs."""
        return "vllm.compilation.cuda_graph.CUDAGraphWrapper"

    @classmethod
    def graph_pool_handle(cls) -> object:
        """Fulfil ``Platform.graph_pool_handle``, which falls back to the module of the device."""
        return torch.npu.graph_pool_handle()

    @classmethod
    def check_runner_kv_caches_multi_layer(cls) -> None:
        """Fulfil ``Platform.check_runner_kv_caches_multi_layer``: layers are found by name, not by index."""

    @classmethod
    def get_device_communicator_cls(cls) -> str:
        """Fulfil ``Platform.get_device_communicator_cls``."""
        return "ascend_backend.distributed.npu_communicator.NPUCommunicator"

    @classmethod
    def get_punica_wrapper(cls) -> str:
        """Fulfil ``Platform.get_punica_wrapper``."""
        return "ascend_backend.lora.punica_wrapper.NPUPunicaWrapper"

    @classmethod
    def get_attn_backend_cls(
        cls,
        selected_backend: "AttentionBackendEnum",
        attn_selector_config: "AttentionSelectorConfig",
        num_heads: int | None = None,
    ) -> str:
        """Fulfil ``Platform.get_attn_backend_cls``: one backend for MLA, one for everything else."""
        if attn_selector_config.use_mla:
            return "ascend_backend.attention.mla.NPUMLABackend"
        return "ascend_backend.attention.paged.NPUAttentionBackend"

    @classmethod
    def get_mla_prefill_backend_cls(cls, mla_selector_config: "MLAPrefillSelectorConfig") -> "type[MLAPrefillBackend]":
        """Fulfil ``Platform.get_mla_prefill_backend_cls``: there is a single one."""
        from ascend_backend.attention.mla_prefill import NPUMLAPrefillBackend

        return NPUMLAPrefillBackend

    @classmethod
    def check_and_update_config(cls, vllm_config: "VllmConfig") -> None:
        """Fulfil ``Platform.check_and_update_config``.

        Raises ValueError for what the device cannot do.
        """
        if vllm_config.kv_transfer_config is not None:
            connector.configure(vllm_config.kv_transfer_config, vllm_config.model_config)
        if vllm_config.parallel_config.enable_eplb:
            raise ValueError("experts that move between ranks (enable_eplb) are not supported on NPU")
        model = vllm_config.model_config
        if model is not None:
            _check_dtype(vllm_config)
            _check_adapters(vllm_config)
        if model is not None and model.is_hybrid:
            _check_hybrid(vllm_config)
        # vllm.config asks for the platform while it is imported: importing it above would be a cycle.
        from vllm.compilation.breakable_cudagraph import is_breakable_cudagraph_enabled
        from vllm.config.compilation import CompilationMode, CUDAGraphMode

        compilation = vllm_config.compilation_config
        parallel = vllm_config.parallel_config
        compilation.mode = CompilationMode.NONE
        mode = compilation.cudagraph_mode or CUDAGraphMode.NONE
        if not is_breakable_cudagraph_enabled():
            # A model that is not compiled is not cut at its attention: only decode batches run as graphs.
            mode = CUDAGraphMode.FULL_DECODE_ONLY if mode.decode_mode() == CUDAGraphMode.FULL else CUDAGraphMode.NONE
        reason = _without_graphs(vllm_config)
        if mode != CUDAGraphMode.NONE and reason is not None:
            logger.info("No graphs are captured: %s", reason)
            mode = CUDAGraphMode.NONE
        compilation.cudagraph_mode = mode
        if (line := capture_sizes.bound(vllm_config, mode, os.environ)) is not None:
            logger.info(line)
        compilation.custom_ops = ["all"]
        parallel.disable_custom_all_reduce = True
        bounds.choose_scheduler(vllm_config)
        environment.prepare(os.environ, sleep_mode=model is not None and model.enable_sleep_mode)
        if parallel.worker_cls == "auto":
            parallel.worker_cls = "ascend_backend.worker.npu_worker.NPUWorker"


def _check_dtype(vllm_config: "VllmConfig") -> None:
    """Raise ValueError for float16 where operators that a model needs are documented for bfloat16 alone."""
    model = vllm_config.model_config
    for what, needed in {"latent attention (MLA)": model.use_mla, "a hybrid model": model.is_hybrid}.items():
        if needed and model.dtype == torch.float16:
            raise ValueError(f"{what} is not supported on NPU in float16, which its operators refuse: --dtype bfloat16")


def _check_adapters(vllm_config: "VllmConfig") -> None:
    """Raise ValueError for adapters of experts, whose products are one operator here."""
    if vllm_config.lora_config is not None and vllm_config.model_config.get_num_experts() > 0:
        raise ValueError(
            "adapters (enable_lora) are not supported on NPU for a mixture of experts: merge them into the weights"
        )


def _check_hybrid(vllm_config: "VllmConfig") -> None:
    """Raise ValueError for what a model cannot have of whose layers some keep states in the blocks of others."""
    refused = {
        "speculative decoding": vllm_config.speculative_config,
        "a KV connector": vllm_config.kv_transfer_config,
        "latent attention": vllm_config.model_config.use_mla,
    }
    for what, asked in refused.items():
        if asked:
            raise ValueError(f"{what} is not supported on NPU with a hybrid model, whose layers keep states in blocks")


def _without_graphs(vllm_config: "VllmConfig") -> str | None:
    """Return why nothing can be captured, or None."""
    parallel, model = vllm_config.parallel_config, vllm_config.model_config
    if (reason := environment.without_graphs(os.environ)) is not None:
        return reason
    if parallel.pipeline_parallel_size > 1:
        return "what a stage of a pipeline receives lies elsewhere in every step, and a graph knows one address"
    if parallel.data_parallel_size > 1:
        return "engines that share experts would have to replay graphs of the same size in every step"
    if model is not None and model.is_hybrid:
        return "sequences of a hybrid model that begin are told from those that go on in every step"
    return None
