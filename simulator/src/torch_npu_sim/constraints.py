"""Checks of what the operator documentation demands, failing as the device would."""

import torch

from torch_npu_sim.settings import read_settings

# References ask here for everything that a call is held to.
from torch_npu_sim.strictness import tolerated as tolerated

HALF = (torch.float16, torch.bfloat16)
FLOAT = (*HALF, torch.float32)


class ConstraintError(RuntimeError):
    """An argument that the operator's documentation excludes."""


def require(condition: bool, operator: str, demand: str) -> None:
    """Raise ConstraintError with the operator and the documented ``demand`` unless ``condition`` holds."""
    if not condition:
        raise ConstraintError(f"{operator}: {demand}")


def dtype(operator: str, accepted: tuple[torch.dtype, ...], **tensors: torch.Tensor | None) -> None:
    """Require the dtype of each tensor to be one of ``accepted``."""
    floating = {each for each in accepted if each.is_floating_point}
    if floating and floating <= set(HALF) and read_settings().float32:
        accepted = (*accepted, torch.float32)
    for name, tensor in tensors.items():
        if tensor is not None and tensor.dtype not in accepted:
            names = ", ".join(str(t).removeprefix("torch.") for t in accepted)
            require(False, operator, f"{name} is {tensor.dtype}, supported are {names}")


def same_dtype(operator: str, **tensors: torch.Tensor | None) -> None:
    """Require all tensors given to have one dtype."""
    found = {name: tensor.dtype for name, tensor in tensors.items() if tensor is not None}
    require(len(set(found.values())) <= 1, operator, f"dtypes must agree, got {found}")


def contiguous(operator: str, **tensors: torch.Tensor | None) -> None:
    """Require every tensor given to be contiguous."""
    for name, tensor in tensors.items():
        if tensor is not None:
            strides = f"shape {tuple(tensor.shape)}, strides {tensor.stride()}"
            require(tensor.is_contiguous(), operator, f"{name} must be contiguous, got {strides}")


def rank(operator: str, dimensions: range, **tensors: torch.Tensor | None) -> None:
    """Require the number of dimensions of each tensor to lie in ``dimensions``."""
    for name, tensor in tensors.items():
        if tensor is not None and tensor.dim() not in dimensions:
            wanted = f"{dimensions.start} to {dimensions.stop - 1}"
            require(False, operator, f"{name} must have {wanted} dimensions, got {tensor.dim()}")


def within(operator: str, first: int, last: int, **values: torch.Tensor) -> None:
    """Require every value to lie between two bounds, both of which count."""
    for name, each in values.items():
        inside = bool(((each >= first) & (each <= last)).all())
        require(inside, operator, f"{name} must lie in [{first}, {last}]")


def absent(operator: str, **arguments: object) -> None:
    """Raise NotImplementedError for arguments that the reference does not compute with."""
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        raise NotImplementedError(f"the reference implementation of {operator} does not support {', '.join(given)}")
