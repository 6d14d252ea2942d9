"""Attributes that each module of torch has of its own class."""

from __future__ import annotations

from functools import cache
from pathlib import Path

#: The name of the class.
TORCH_MODULE = "torch.nn.Module"
# What an object of it has in torch 2.13: [a for a in dir(torch.nn.Module()) if not a.startswith("__")].
_LIST = Path(__file__).with_name("torch_module_attributes.txt")


def torch_module_has(name: str) -> bool:
    """Whether a module of torch has an attribute that nobody gave it. Special methods are not told apart."""
    return name.startswith("__") or name in _names()


@cache
def _names() -> frozenset[str]:
    return frozenset(_LIST.read_text(encoding="utf-8").split())
