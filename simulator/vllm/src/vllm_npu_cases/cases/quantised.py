"""Weights of int8 with a scale for each row, activations quantised token by token; the reference does the same sums."""

import dataclasses
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.question import TEXTS

if TYPE_CHECKING:
    import torch

    from vllm_npu_cases.oracle import Oracle
    from vllm_npu_cases.session import Session

#: The largest number of int8 that is used: as many below zero as above.
_LARGEST = 127
_KIND = "W8A8_DYNAMIC"


def _folder(directory: Path) -> Path:
    return directory / "int8"


def _quantised(values: "torch.Tensor") -> tuple["torch.Tensor", "torch.Tensor"]:
    """Return whole numbers, and what each row of them is to be multiplied with."""
    scale = values.abs().amax(-1, keepdim=True) / _LARGEST
    return (values / scale).round().clamp(-_LARGEST, _LARGEST), scale


def _quantise(oracle: "Oracle") -> dict[str, "torch.Tensor"]:
    """Make the layers compute with whole numbers; return their weights as they are saved."""
    import torch

    saved = {}
    for name, module in oracle.model.named_modules():
        if not isinstance(module, torch.nn.Linear) or ".layers." not in name:
            continue
        weight, scale = _quantised(module.weight.data)
        # Engines keep it in their own type, of which float16 is the coarsest that this is asked in.
        scale = scale.half().float()
        saved |= {
            f"{name}.weight": weight.to(torch.int8),
            f"{name}.weight_scale": scale,
            f"{name}.weight_offset": torch.zeros_like(scale),
        }

        def forward(x: torch.Tensor, weight: torch.Tensor = weight, scale: torch.Tensor = scale) -> torch.Tensor:
            whole, of_token = _quantised(x)
            return (whole.double() @ weight.double().T * of_token * scale.flatten()).to(x.dtype)

        module.forward = forward  # type: ignore[method-assign]
    return saved


def _expect(oracle: "Oracle") -> Any:
    """Return the continuations of the model with whole numbers, which is written as ModelSlim writes it."""
    from safetensors.torch import save_file

    folder = _folder(oracle.directory)
    folder.mkdir(exist_ok=True)
    saved = _quantise(oracle)
    weights = oracle.model.state_dict() | saved
    for file in oracle.directory.glob("*.json"):
        if file.name != f"{oracle.case.name}.reference.json":
            shutil.copy(file, folder)
    save_file(
        {name: each.contiguous() for name, each in weights.items()}, folder / "model.safetensors", {"format": "pt"}
    )
    kinds = {name: _KIND if name in saved else "FLOAT" for name in weights}
    (folder / "quant_model_description.json").write_text(json.dumps({"model_quant_type": _KIND, **kinds}))
    return [oracle.greedy(request) for request in TEXTS]


def _ask(session: "Session") -> Any:
    of_whole_numbers = dataclasses.replace(session, directory=_folder(session.directory))
    return of_whole_numbers.generate(of_whole_numbers.llm(), TEXTS)


register(Case("quantised", RECIPE, needs=frozenset({"modelslim"}), expect=_expect, ask=_ask, faults=("token_scale",)))
