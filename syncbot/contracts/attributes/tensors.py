"""Attributes of tensors of torch, and functions that surely give one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

# torch.Tensor and torch.distributed.tensor.DTensor in torch 2.13: [a for a in dir(DTensor) if not
# a.startswith("__")]. What is declared as a tensor may be a distributed one.
_LIST = Path(__file__).with_name("tensor_attributes.txt")
_MAKERS = {
    *(
        "arange",
        "as_tensor",
        "cat",
        "concat",
        "empty",
        "empty_like",
        "eye",
        "from_numpy",
        "full",
        "full_like",
    ),
    *("linspace", "ones", "ones_like", "rand", "randint", "randn", "stack", "tensor", "where", "zeros"),
    *("zeros_like", "empty_strided", "rand_like", "randn_like"),
}


def gives_tensor(function: str) -> bool:
    """Whether a function of that dotted name gives a tensor: ``torch.zeros`` does."""
    package, _, name = function.rpartition(".")
    return package == "torch" and name in _MAKERS


def is_tensor(class_: str) -> bool:
    """Whether a dotted name is that of the class of tensors."""
    return class_ == "torch.Tensor"


def tensor_has(name: str) -> bool:
    """Whether a tensor has an attribute. Special methods are not told apart: it may have each."""
    return name.startswith("__") or name in _names()


@cache
def _names() -> frozenset[str]:
    return frozenset(_LIST.read_text(encoding="utf-8").split())
