"""Faults in lines of the backend, which a run must notice."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torch_npu_sim import faults

if TYPE_CHECKING:
    import torch

_HIDDEN = "npu_scatter_pa_kv_cache"


def wrong_scale() -> None:
    """Multiply the attention scale by 1.1: the tokens must change."""
    from ascend_backend.ops import attention

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments, scale, **keywords: correct(*arguments, scale=scale * 1.1, **keywords)

    faults.in_member("scale", attention, "paged_attention", change)


def wrong_keyword() -> None:
    """Call an operator with a keyword that its schema lacks: torch must refuse the call."""

    def rms_norm(x: "torch.Tensor", weight: "torch.Tensor", epsilon: float) -> "torch.Tensor":
        import torch_npu

        return torch_npu.npu_rms_norm(x, weight, eps=epsilon)[0]

    _in_norm("keyword", rms_norm)


def missing_reference() -> None:
    """Call an operator that has a schema and no reference: the device must name it."""

    def rms_norm(x: "torch.Tensor", weight: "torch.Tensor", epsilon: float) -> "torch.Tensor":
        import torch_npu

        return torch_npu.npu_gemma_rms_norm(x, weight, epsilon)[0]

    _in_norm("reference", rms_norm)


def missing_operator() -> None:
    """Hide an operator that the backend calls, as an older torch_npu does: it must be named before anything runs."""
    import torch_npu

    delattr(torch_npu, _HIDDEN)


def overlapping_slot() -> None:
    """Write every request into one block: two tokens of a batch get one slot, which the operator does not take."""
    from ascend_backend.ops import kv_cache

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def one_block(key: Any, value: Any, key_cache: Any, value_cache: Any, slots: Any) -> None:
            correct(key, value, key_cache, value_cache, slots % key_cache.shape[1])

        return one_block

    faults.in_member("slot", kv_cache, "reshape_and_cache", change)


def _in_norm(fault: str, function: Callable[..., Any]) -> None:
    from ascend_backend.ops import norm

    faults.in_member(fault, norm, "rms_norm", lambda correct: function)


def memory_kept() -> None:
    """Memory that is given up stays where it is."""
    from ascend_backend.worker.sleep_mode import NPUSleepModeBackend

    faults.in_member("memory_kept", NPUSleepModeBackend, "_take", lambda correct: lambda *arguments, **keywords: None)


def zeros_loaded() -> None:
    """All values that come back from the host's memory are zeros."""
    from ascend_backend.kv_offload.transfers import NPUOffloadingWorker

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def emptied(worker: Any, *arguments: Any, **keywords: Any) -> Any:
            for group in worker._groups:
                for _, on_host in group:
                    on_host.zero_()
            return correct(worker, *arguments, **keywords)

        return emptied

    faults.in_member("zeros_loaded", NPUOffloadingWorker, "submit_load", change)


def encoder_reset_ignored() -> None:
    """The reset of the encoder cache says that it is done, and does nothing."""
    from ascend_backend.encoder_cache.manager import NPUEncoderCacheManager

    faults.in_member("encoder_reset_ignored", NPUEncoderCacheManager, "reset", lambda correct: lambda manager: None)


def encoder_outputs_kept() -> None:
    """A worker keeps what it has encoded, and the device's memory with it, when it is told to drop all."""
    from ascend_backend.encoder_cache.outputs import EncoderOutputs

    faults.in_member("encoder_outputs_kept", EncoderOutputs, "clear", lambda correct: lambda outputs: None)


def cache_uncounted() -> None:
    """A KV cache may have more numbers than operators count."""
    from ascend_backend.worker import cache_bounds

    faults.in_member("cache_uncounted", cache_bounds, "require_countable", lambda correct: lambda config, caches: None)


def encoder_bound_doubled() -> None:
    """The encoder cache may hold twice the bytes that it was given."""
    from ascend_backend.encoder_cache import bounds

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments, **keywords: 2 * correct(*arguments, **keywords)

    faults.in_member("encoder_bound_doubled", bounds, "max_bytes", change)


def encoder_not_measured() -> None:
    """The plan of the memory has no peak of the encoder."""
    from ascend_backend.worker.encoder_profile import ProfiledRunner

    faults.in_member("encoder_not_measured", ProfiledRunner, "encoder_peak", lambda correct: lambda runner: 0)


def activations_halved() -> None:
    """The plan of the memory has half of the peak of the activations."""
    from ascend_backend.worker.memory_plan import Plan

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def halved(plan: Any, **pieces: int) -> None:
            correct(plan, **(pieces | {"activations": pieces["activations"] // 2}))

        return halved

    faults.in_member("activations_halved", Plan, "__init__", change, when=lambda plan, **pieces: "activations" in pieces)


def growth_overlooked() -> None:
    """Memory that becomes free during the profile is taken for memory that was free before."""
    from vllm.v1.worker.gpu_worker import Worker

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def overlooking(worker: Any) -> Any:
            worker.init_snapshot.free_memory = worker.init_snapshot.total_memory
            return correct(worker)

        return overlooking

    faults.in_member("growth_overlooked", Worker, "determine_available_memory", change)


def lengths_read_back() -> None:
    """Lengths that the host knows are read from the device."""
    from ascend_backend.attention import batch_lengths

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        return lambda common, config: common.seq_lens[: common.num_reqs].tolist()

    faults.in_member("lengths_read_back", batch_lengths, "context_lengths", change)


FAULTS: dict[str, Callable[[], None]] = {
    "scale": wrong_scale,
    "keyword": wrong_keyword,
    "missing": missing_operator,
    "reference": missing_reference,
    "slot": overlapping_slot,
    **{
        each.__name__: each
        for each in (
            *(memory_kept, zeros_loaded, encoder_reset_ignored, encoder_bound_doubled),
            *(encoder_outputs_kept, cache_uncounted),
            *(encoder_not_measured, activations_halved, growth_overlooked, lengths_read_back),
        )
    },
}
