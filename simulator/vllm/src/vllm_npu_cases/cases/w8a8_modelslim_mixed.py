"""Of ModelSlim: attention with one scale for all tokens, experts token by token.

That is what ModelSlim makes of a mixture of experts (W8A8 beside W8A8_DYNAMIC). Its static layers have a zero point,
which the whole numbers that are added to the sums take off again: transformers does the sums without either.
"""

import dataclasses
import json
import shutil
from functools import partial
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register, w8a8
from vllm_npu_cases.cases.case import Case, ask_greedy
from vllm_npu_cases.models import qwen3_moe

if TYPE_CHECKING:
    import torch

    from vllm_npu_cases.oracle import Oracle
    from vllm_npu_cases.session import Session

_ZERO_POINT = 3


def _product(factor: "torch.Tensor", x: "torch.Tensor", weight: "torch.Tensor") -> "torch.Tensor":
    """Return ``x @ weight.T`` with whole numbers, of which the zero point decides which way halves are rounded."""
    whole, scale = w8a8._whole(weight)
    values = (x.float() * factor + _ZERO_POINT).round().clamp(-128, 127) - _ZERO_POINT
    return (values.double() @ whole.double().T / factor * scale.flatten()).to(x.dtype)


def _expect(oracle: "Oracle") -> Any:
    """Make the layers compute with whole numbers, write them, and return the continuations."""
    import torch
    from safetensors.torch import load_file, save_file

    kept = oracle.model.dtype
    # The zero point moves the largest values: there have to be steps for it. A scale's inverse has the model's dtype.
    room = 127 / (127 - _ZERO_POINT)
    largest = w8a8._largest_inputs(oracle)
    factors = {
        f"{name}.weight": (1 / (scale * room)).to(kept).float()
        for name, scale in largest.items()
        if ".self_attn." in name
    }
    for name, module in w8a8._layers(oracle).items():
        if hasattr(module, "gate_up_proj"):
            dynamic = partial(w8a8._product, 1, None)
            module.forward = w8a8._experts(module, dynamic, dynamic)
        else:
            static = partial(_product, factors[f"{name}.weight"])
            module.forward = lambda x, module=module, product=static: product(x, module.weight)
    folder = w8a8._folder(oracle.directory, oracle.case.name)
    folder.mkdir(exist_ok=True)
    for name in ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(oracle.directory / name, folder)
    weights = {name: each.to(kept) for name, each in load_file(oracle.directory / "model.safetensors").items()}
    kinds = dict.fromkeys(weights, "FLOAT")
    for name in [name for name in weights if ".layers." in name and name.endswith("_proj.weight")]:
        whole, scale = w8a8._whole(weights[name])
        kinds[name] = "W8A8" if name in factors else "W8A8_DYNAMIC"
        weights |= {name: whole.char(), f"{name}_scale": scale, f"{name}_offset": scale * 0}
        if name in factors:
            layer = name.removesuffix("weight")
            weights |= {
                f"{layer}input_scale": 1 / factors[name].reshape(1),
                f"{layer}input_offset": torch.tensor([float(_ZERO_POINT)]),
                f"{layer}deq_scale": scale.flatten() / factors[name],
                f"{layer}quant_bias": (-_ZERO_POINT * whole.sum(-1)).to(torch.int32),
            }
    (folder / "quant_model_description.json").write_text(json.dumps({"model_quant_type": "W8A8_DYNAMIC", **kinds}))
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    return [oracle.greedy(request) for request in oracle.case.requests]


def _ask(session: "Session") -> Any:
    folder = w8a8._folder(session.directory, session.case.name)
    return ask_greedy(dataclasses.replace(session, directory=folder))


register(
    Case(
        "w8a8_modelslim_mixed",
        qwen3_moe.RECIPE,
        expect=_expect,
        engine={"quantization": "ascend"},
        operators=("npu_quantize", "npu_dynamic_quant", "npu_quant_matmul"),
        ask=_ask,
        faults=("token_scale", "attention_scale"),
    )
)
