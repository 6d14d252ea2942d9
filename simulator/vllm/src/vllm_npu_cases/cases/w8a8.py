"""Weights and activations in int8, as compressed-tensors and ModelSlim write them: transformers does the same sums."""

import dataclasses
import json
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import graphs_full, register
from vllm_npu_cases.cases.case import Case, ask_greedy
from vllm_npu_cases.models import qwen3, qwen3_moe

if TYPE_CHECKING:
    import torch

    from vllm_npu_cases.oracle import Oracle
    from vllm_npu_cases.session import Session

    Product = Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"]

_LARGEST = 127
#: Layers whose inputs are split between ranks, each of which measures its own part.
_SPLIT = ("o_proj", "down_proj")
_PARALLEL = {"tensor_parallel_size": 2, "distributed_executor_backend": "mp"}
_DYNAMIC = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "token", "dynamic": True}
_STATIC = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "tensor", "dynamic": False}


def _with_scales(values: "torch.Tensor", scale: "torch.Tensor | None" = None) -> tuple["torch.Tensor", "torch.Tensor"]:
    """Return whole numbers, and what they are to be multiplied with: of each row, unless it is given."""
    scale = values.abs().amax(-1, keepdim=True) / _LARGEST if scale is None else scale
    return (values / scale).round().clamp(-_LARGEST - 1, _LARGEST), scale


def _whole(weight: "torch.Tensor") -> tuple["torch.Tensor", "torch.Tensor"]:
    """Return the whole numbers of a weight, and the scales in the dtype that it has, as checkpoints hold them."""
    values = weight.float()
    return _with_scales(values, (values.abs().amax(-1, keepdim=True) / _LARGEST).to(weight.dtype).float())


def _product(parts: int, of_input: "torch.Tensor | None", x: "torch.Tensor", weight: "torch.Tensor") -> "torch.Tensor":
    """Return ``x @ weight.T`` as so many ranks compute it with whole numbers."""
    whole, scale = _whole(weight)
    total = 0
    for part, columns in zip(x.float().chunk(parts, -1), whole.chunk(parts, -1), strict=True):
        values, of_token = _with_scales(part, of_input)
        total = total + values.double() @ columns.double().T * of_token * scale.flatten()
    return total.to(x.dtype)  # type: ignore[attr-defined]


def _experts(module: Any, of_gate_up: "Product", of_down: "Product") -> Callable[..., Any]:
    """Return the ``forward`` of experts that have their weights in two tensors."""

    def forward(x: "torch.Tensor", chosen: "torch.Tensor", weights: "torch.Tensor") -> "torch.Tensor":
        import torch

        result = torch.zeros_like(x)
        for expert in chosen.unique().tolist():
            tokens, places = torch.where(chosen == expert)
            gate, up = of_gate_up(x[tokens], module.gate_up_proj[expert]).chunk(2, dim=-1)
            output = of_down(module.act_fn(gate) * up, module.down_proj[expert])
            result.index_add_(0, tokens, output * weights[tokens, places, None])
        return result

    return forward


def _layers(oracle: "Oracle") -> dict[str, Any]:
    """Return the layers that are quantised."""
    return {
        name: module
        for name, module in oracle.model.named_modules()
        if ".layers." in name
        and (name.endswith("_proj") or (hasattr(module, "gate_up_proj") and name.endswith("experts")))
    }


def _largest_inputs(oracle: "Oracle") -> dict[str, "torch.Tensor"]:
    """Return the scale of each layer's inputs, from what the model is asked: its inverse has their dtype."""
    found: dict[str, torch.Tensor] = {}

    def note(name: str, module: Any, given: Any) -> None:
        found[name] = max(found.get(name, given[0].abs().max()), given[0].abs().max())

    hooks = [module.register_forward_pre_hook(partial(note, name)) for name, module in _layers(oracle).items()]
    for request in oracle.case.requests:
        oracle.logits(oracle.inputs(request), [])
    for hook in hooks:
        hook.remove()
    return {name: 1 / (_LARGEST / largest).float() for name, largest in found.items()}


def expect(write: Callable[..., None], static: bool, parts: int, oracle: "Oracle") -> Any:
    """Make the layers compute with whole numbers, write them, and return the continuations."""
    from safetensors.torch import load_file, save_file

    inputs = _largest_inputs(oracle) if static else {}
    for name, module in _layers(oracle).items():
        split = partial(_product, parts if name.endswith(_SPLIT) else 1, inputs.get(name))
        if hasattr(module, "gate_up_proj"):
            module.forward = _experts(module, split, partial(_product, parts, None))
        else:
            module.forward = lambda x, module=module, product=split: product(x, module.weight)
    folder = _folder(oracle.directory, oracle.case.name)
    folder.mkdir(exist_ok=True)
    for name in ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(oracle.directory / name, folder)
    kept = oracle.model.dtype
    weights = {name: each.to(kept) for name, each in load_file(oracle.directory / "model.safetensors").items()}
    quantised = [name for name in weights if ".layers." in name and name.endswith("_proj.weight")]
    for name in quantised:
        whole, scale = _whole(weights[name])
        weights |= {name: whole.char(), f"{name}_scale": scale}
    weights |= {f"{name}.input_scale": scale.reshape(1) for name, scale in inputs.items()}
    write(folder, quantised, weights)
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    return [oracle.greedy(request) for request in oracle.case.requests]


def _compressed(inputs: Mapping[str, Any], folder: Path, quantised: list[str], weights: dict[str, Any]) -> None:
    """Write what compressed-tensors says of the weights."""
    channels = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "channel", "dynamic": False}
    group = {"targets": ["Linear"], "weights": channels, "input_activations": inputs}
    said = {
        "quant_method": "compressed-tensors",
        "format": "int-quantized",
        "config_groups": {"group_0": group},
        "ignore": ["lm_head", r"re:.*mlp\.gate$"],
    }
    configuration = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(configuration | {"quantization_config": said}))


def _modelslim(folder: Path, quantised: list[str], weights: dict[str, Any]) -> None:
    """Write what ModelSlim says of the weights, and the offsets that it has beside scales."""
    weights |= {f"{name}_offset": weights[f"{name}_scale"] * 0 for name in quantised}
    kinds = {name: "W8A8_DYNAMIC" if "_proj.weight" in name and ".layers." in name else "FLOAT" for name in weights}
    said = {"model_quant_type": "W8A8_DYNAMIC", **kinds}
    (folder / "quant_model_description.json").write_text(json.dumps(said))


def _folder(directory: Path, name: str) -> Path:
    return directory / name


def ask_quantised(ask: Callable[["Session"], Any], session: "Session") -> Any:
    """Return what a session answers whose model is the quantised one."""
    return ask(dataclasses.replace(session, directory=_folder(session.directory, session.case.name)))


#: Writes int8 with scales of tokens that are measured.
DYNAMIC = partial(_compressed, _DYNAMIC)
SINGLE = ("npu_dynamic_quant", "npu_quant_matmul")
_GRAPHS = {
    "enforce_eager": False,
    "compilation_config": {"cudagraph_mode": "FULL_DECODE_ONLY", "cudagraph_capture_sizes": graphs_full.SIZES},
}


def _register(name: str, write: Callable[..., None], *, static: bool = False, parts: int = 1, **others: Any) -> None:
    register(Case(name, expect=partial(expect, write, static, parts), **others))


_register(
    "w8a8",
    DYNAMIC,
    model=qwen3.RECIPE,
    engine={"enforce_eager": False},
    operators=SINGLE,
    ask=partial(ask_quantised, ask_greedy),
    faults=("token_scale", "attention_scale"),
)
_register(
    "w8a8_static_tensor_parallel",
    partial(_compressed, _STATIC),
    static=True,
    model=qwen3.RECIPE,
    engine=_PARALLEL,
    operators=("npu_quantize", "npu_quant_matmul"),
    ask=partial(ask_quantised, ask_greedy),
    faults=("all_reduce_left_out", "attention_scale"),
)
_register(
    "w8a8_moe_graphs_tensor_parallel",
    DYNAMIC,
    parts=2,
    model=qwen3_moe.RECIPE,
    engine=_PARALLEL | _GRAPHS,
    operators=SINGLE,
    ask=partial(ask_quantised, graphs_full.ask),
    differs=graphs_full.differs,
    faults=("token_scale", "expert_weights"),
)
_register(
    "w8a8_moe_modelslim",
    _modelslim,
    model=qwen3_moe.RECIPE,
    engine={"quantization": "ascend"},
    operators=SINGLE,
    ask=partial(ask_quantised, ask_greedy),
    faults=("token_scale", "expert_weights"),
)
