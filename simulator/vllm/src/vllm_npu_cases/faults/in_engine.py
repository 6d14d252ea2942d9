"""Faults in lines of vLLM that every plugin depends on, or takes over."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from torch_npu_sim import faults


def verify_nothing(fault: str, owner: Any) -> None:
    """Let the ``rejection_sample`` of a module take every draft for what the model would have said."""

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def trusting(drafts: Any, *arguments: Any, **keywords: Any) -> Any:
            given = list(arguments)
            # Numbers of drafts, the longest, their sums, the probabilities of drafts, then what the model says.
            logits = keywords["target_logits"] if len(given) < 5 else given[4]
            agreeing = logits.new_zeros(logits.shape).scatter_(1, drafts.long().unsqueeze(1), 1.0)
            if len(given) < 5:
                keywords = keywords | {"target_logits": agreeing}
            else:
                given[4] = agreeing
            return correct(drafts, *given, **keywords)

        return trusting

    faults.in_member(fault, owner, "rejection_sample", change)


def adapter_scale() -> None:
    """The contribution of an adapter counts twice."""
    from vllm.lora import model_manager

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def twice(y: Any, x: Any, a: Any, b: Any, scale: float, *arguments: Any, **keywords: Any) -> Any:
            return correct(y, x, a, b, 2 * scale, *arguments, **keywords)

        return twice

    # The class is the plugin's, and is looked up when an engine starts.
    wrapper = model_manager.get_punica_wrapper

    def faulty(*arguments: Any, **keywords: Any) -> Any:
        made = wrapper(*arguments, **keywords)
        faults.in_member("adapter_scale", made, "add_lora_linear", change)
        return made

    model_manager.get_punica_wrapper = faulty


def drafts_unverified() -> None:
    """Every token that was drafted is accepted."""
    verify_nothing("drafts_unverified", importlib.import_module("vllm.v1.sample.rejection_sampler"))


def grammar_ignored() -> None:
    """Every token may be chosen, whatever the grammar says."""
    import xgrammar
    from vllm.v1.worker.gpu.structured_outputs import StructuredOutputsWorker

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments, **keywords: None

    faults.in_member("grammar_ignored", xgrammar, "apply_token_bitmask_inplace", change)
    faults.in_member("grammar_ignored", StructuredOutputsWorker, "apply_grammar_bitmask", change)


def stale_token() -> None:
    """A step that is scheduled early gets another token than the one that the step before has sampled."""
    from vllm.v1.worker.gpu_model_runner import GPUModelRunner

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def stale(runner: Any, *arguments: Any, **keywords: Any) -> Any:
            runner.input_batch.prev_sampled_token_ids.fill_(3)
            return correct(runner, *arguments, **keywords)

        return stale

    def is_early(runner: Any, *arguments: Any, **keywords: Any) -> bool:
        return runner.input_batch.prev_sampled_token_ids is not None

    faults.in_member("stale_token", GPUModelRunner, "_prepare_input_ids", change, when=is_early)


def prefix_cache_kept() -> None:
    """The reset of the prefix cache says that it is done, and does nothing."""
    from vllm.v1.core.kv_cache_manager import KVCacheManager

    faults.in_member("prefix_cache_kept", KVCacheManager, "reset_prefix_cache", lambda correct: lambda manager: True)


def half_of_a_request() -> None:
    """A request is said to need half of the KV cache that it needs."""
    from vllm.v1.kv_cache_interface import FullAttentionSpec

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments, **keywords: correct(*arguments, **keywords) // 2

    faults.in_member("half_of_a_request", FullAttentionSpec, "max_memory_usage_bytes", change)


def state_forgotten() -> None:
    """Half of the states that the layers of a hybrid model have kept is lost before each step."""
    import torch
    from torch.utils import _pytree
    from vllm.forward_context import get_forward_context
    from vllm.model_executor.layers.mamba.abstract import MambaBase
    from vllm.model_executor.models.qwen3_next import Qwen3NextForCausalLM

    def states() -> list[torch.Tensor]:
        layers = [each for each in get_forward_context().no_compile_layers.values() if isinstance(each, MambaBase)]
        leaves = _pytree.tree_leaves([getattr(layer, "kv_cache", ()) for layer in layers])
        return [each for each in leaves if isinstance(each, torch.Tensor) and each.numel()]

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def forgetful(*arguments: Any, **keywords: Any) -> Any:
            for state in states():
                state.mul_(0.5)
            return correct(*arguments, **keywords)

        return forgetful

    def has_some(*arguments: Any, **keywords: Any) -> bool:
        return bool(states())

    faults.in_member("state_forgotten", Qwen3NextForCausalLM, "forward", change, when=has_some)


FAULTS: Mapping[str, Callable[[], None]] = {
    each.__name__: each
    for each in (
        *(adapter_scale, drafts_unverified, grammar_ignored, stale_token, prefix_cache_kept),
        *(half_of_a_request, state_forgotten),
    )
}
