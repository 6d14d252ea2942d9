"""LoRA: requests with an adapter and without share a batch; the reference has the adapter merged in."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models import qwen3
from vllm_npu_cases.question import Request

if TYPE_CHECKING:
    from vllm_npu_cases.oracle import Oracle
    from vllm_npu_cases.session import Session


def _configuration() -> Any:
    configuration = qwen3.RECIPE.configuration()
    configuration.vocab_size = 1024
    return configuration


#: With a vocabulary that vLLM does not pad: vllm-ascend's kernels count rows by the padded logits.
MODEL = dataclasses.replace(qwen3.RECIPE, name="qwen3_unpadded", configuration=_configuration)
_RANK = 8
_ALPHA = 16
ENGINE = {"enable_lora": True, "max_lora_rank": _RANK, "max_loras": 1}
_TARGETS = ("q_proj", "v_proj", "o_proj", "gate_proj", "down_proj")


def _adapter(directory: Path) -> Path:
    return directory / "adapter"


def _write(oracle: "Oracle") -> dict[str, Any]:
    """Write an adapter as PEFT does; return the products ``B A`` that it adds, scaled, by parameter."""
    import json

    import torch
    from safetensors.torch import save_file

    tensors, products = {}, {}
    for name, module in oracle.model.named_modules():
        if name.rpartition(".")[2] not in _TARGETS:
            continue
        generator = torch.Generator().manual_seed(sum(name.encode()))
        first = 0.2 * torch.randn(_RANK, module.in_features, generator=generator)
        second = 0.2 * torch.randn(module.out_features, _RANK, generator=generator)
        tensors |= {
            f"base_model.model.{name}.lora_A.weight": first,
            f"base_model.model.{name}.lora_B.weight": second,
        }
        products[name] = second @ first * (_ALPHA / _RANK)
    folder = _adapter(oracle.directory)
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / "adapter_model.safetensors")
    description = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": str(oracle.directory),
        "r": _RANK,
        "lora_alpha": _ALPHA,
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": list(_TARGETS),
    }
    (folder / "adapter_config.json").write_text(json.dumps(description))
    return products


def expect(oracle: "Oracle") -> Any:
    """Return the continuations without the adapter, then those with it: the weights themselves are changed."""
    plain = [oracle.greedy(request) for request in oracle.case.requests]
    for name, product in _write(oracle).items():
        oracle.model.get_submodule(name).weight.data += product
    merged = [oracle.greedy(request) for request in oracle.case.requests]
    if any(one == other for one, other in zip(plain, merged, strict=True)):
        raise AssertionError("the adapter changes nothing: it would not be missed")
    return plain + merged


def twice(session: "Session") -> tuple[list[Request], dict[str, Any]]:
    """Return the requests without the adapter, then with it, and what vLLM is told of adapters."""
    from vllm.lora.request import LoRARequest

    adapter = LoRARequest("adapter", 1, str(_adapter(session.directory)))
    asked = session.case.requests
    return [*asked, *asked], {"lora_request": [None] * len(asked) + [adapter] * len(asked)}


def _ask(session: "Session") -> Any:
    requests, adapters = twice(session)
    return session.generate(session.llm(), requests, **adapters)


register(
    Case(
        "lora",
        MODEL,
        engine=ENGINE,
        expect=expect,
        ask=_ask,
        faults=("adapter_scale",),
    )
)
