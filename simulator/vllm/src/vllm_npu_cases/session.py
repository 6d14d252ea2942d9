"""The real vLLM engine, asked a question."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vllm_npu_cases.plugins import plugin
from vllm_npu_cases.question import Question, Request

#: Names the dtype of the engine; the reference's is float32.
DTYPE_VARIABLE = "ASCEND_CHECK_DTYPE"
#: vLLM mixes this class into its workers; nobody else imports it, for it may begin to count.
_PROBE = "vllm_npu_cases.probe.Probe"

#: Small enough for a laptop; a prompt of 200 tokens is prefilled in two chunks.
SETTINGS: Mapping[str, Any] = {
    "enforce_eager": True,
    "max_model_len": 512,
    "max_num_seqs": 4,
    "max_num_batched_tokens": 128,
    "kv_cache_memory_bytes": 64 << 20,
    "seed": 0,
    "disable_log_stats": True,
    "worker_extension_cls": _PROBE,
}


@dataclass
class Session:
    """The session in which a case asks its requests: the engine, and the records about it."""

    case: Question
    #: Where the model is.
    directory: Path
    #: Calls of every operator since the engine was ready, over all of its processes.
    operators: Counter[str] = field(default_factory=Counter)
    #: The classes of the model runners.
    runners: set[str] = field(default_factory=set)

    @property
    def element_bytes(self) -> int:
        """The bytes of a number in the engine's dtype."""
        import torch

        return torch.finfo(getattr(torch, self.settings()["dtype"])).bits // 8

    def settings(self, **further: Any) -> dict[str, Any]:
        """Return the arguments of the engine: every case's, the model's, this case's, and ``further``."""
        dtype = {"dtype": os.environ.get(DTYPE_VARIABLE, "float32")}
        given = {**SETTINGS, **dtype, **self.case.model.engine, **self.case.engine, **further}
        for name, value in plugin().engine.get(self.case.name, {}).items():
            given[name] = {**given.get(name, {}), **value} if isinstance(value, Mapping) else value
        return given

    def llm(self, **further: Any) -> Any:
        """Return a ``vllm.LLM``; operators that ran while it started do not count."""
        import vllm

        llm = vllm.LLM(model=str(self.directory), **self.settings(**further))
        self.runners.update(llm.collective_rpc("probe_runner"))
        llm.collective_rpc("probe_operators", args=(True,))
        return llm

    def sampling(self, **further: Any) -> Any:
        """Return greedy sampling parameters, changed by ``further``."""
        import vllm

        plain = {"temperature": 0, "max_tokens": self.case.new_tokens, "ignore_eos": True, "detokenize": False}
        return vllm.SamplingParams(**(plain | further))

    def outputs(self, llm: Any, requests: Iterable[Request], sampling: Any = None, **keywords: Any) -> list[Any]:
        """Return vLLM's outputs for the requests, sent together, and count the operators."""
        from vllm_npu_cases import media

        prompts = [media.prompt(request) for request in requests]
        outputs = llm.generate(prompts, sampling or self.sampling(), use_tqdm=False, **keywords)
        self.count(llm)
        return list(outputs)

    def generate(self, llm: Any, requests: Sequence[Request], sampling: Any = None, **keywords: Any) -> list[list[int]]:
        """Return the new tokens of every request."""
        outputs = self.outputs(llm, requests, sampling, **keywords)
        return [list(output.outputs[0].token_ids) for output in outputs]

    def count(self, llm: Any) -> None:
        """Add what ran in the engine's workers since the last count."""
        for calls in llm.collective_rpc("probe_operators", args=(True,)):
            self.operators.update(calls)
