"""Drafting by a head or a layer in bfloat16: drafts are accepted, and change no token but at ties."""

import copy
import dataclasses
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.bfloat16 import in_bfloat16
from vllm_npu_cases.cases import case_of, eagle, register
from vllm_npu_cases.models.real_heads import SIZE

if TYPE_CHECKING:
    import torch

    from vllm_npu_cases.oracle import Oracle


#: So much more does the drafting layer's attention add: some drafts are wrong, which only verifying them tells.
_STRONGER = 10


class _Fitting:
    """Gives drafts answers in bfloat16 to be fitted to, and states in float32, as least squares need them."""

    def __init__(self, oracle: "Oracle") -> None:
        self.case, self.directory = oracle.case, oracle.directory
        self.model = copy.deepcopy(oracle.model).float()
        self.greedy = oracle.greedy


def _fitted(expect: Callable[[Any], Any], oracle: "Oracle") -> Any:
    return expect(_Fitting(oracle))


def _wider(weight: "torch.Tensor", heads: int, axis: int) -> "torch.Tensor":
    """Return the weight with zeros behind each head's part along ``axis``, up to ``SIZE``."""
    import torch

    parts = torch.zeros(heads, SIZE, weight.shape[1 - axis])
    rows = weight.movedim(axis, 0)
    parts[:, : rows.shape[0] // heads] = rows.reshape(heads, -1, rows.shape[1])
    return parts.flatten(0, 1).movedim(0, axis).contiguous()


def _widen(head: Path) -> None:
    """Give the heads of the drafting layer the width that attention operators document for half types."""
    from safetensors.torch import load_file, save_file

    settings = json.loads((head / "config.json").read_text())
    weights = load_file(head / "model.safetensors")
    queries, keys = settings["num_attention_heads"], settings["num_key_value_heads"]
    for name, heads, axis in (("q_proj", queries, 0), ("k_proj", keys, 0), ("v_proj", keys, 0), ("o_proj", queries, 1)):
        key = f"layers.0.self_attn.{name}.weight"
        weights[key] = _wider(weights[key], heads, axis)
    weights["layers.0.self_attn.o_proj.weight"] *= _STRONGER
    save_file(weights, head / "model.safetensors", metadata={"format": "pt"})
    (head / "config.json").write_text(json.dumps(settings | {"head_dim": SIZE}))


def _with_wide_head(expect: Callable[[Any], Any], oracle: "Oracle") -> Any:
    answers = _fitted(expect, oracle)
    _widen(Path(eagle.head(oracle.directory)["model"]))
    return answers


for _name, _expecting in (("eagle", _with_wide_head), ("mtp", _fitted)):
    _case = case_of(f"{__package__}.{_name}", _name)
    register(in_bfloat16(dataclasses.replace(_case, expect=partial(_expecting, _case.expect))))
