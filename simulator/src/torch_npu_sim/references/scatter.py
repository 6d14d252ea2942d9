"""Writing rows by index: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_scatter_nd_update_``.

vllm-ascend's own ``npu_scatter_nd_update_sk`` writes rows alone; what its caller sees to is demanded of it
(``vllm_ascend/device/device_op.py``). An index that is given twice may leave either value: it is refused.
"""

import torch

from torch_npu_sim.constraints import dtype, require, same_dtype
from torch_npu_sim.operators import fake, reference

_UPDATE = "npu_scatter_nd_update_"
_ROWS = "_C_ascend::npu_scatter_nd_update_sk"

_CONTENT = (torch.float32, torch.float16, torch.bool, torch.bfloat16, torch.int64, torch.int8)
_ROW_CONTENT = (torch.int8, torch.float16, torch.bfloat16, torch.float32, torch.float8_e4m3fn, torch.float8_e5m2)


def _check(
    operator: str, accepted: tuple[torch.dtype, ...], target: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor
) -> None:
    dtype(operator, accepted, input=target, updates=updates)
    same_dtype(operator, input=target, updates=updates)
    dtype(operator, (torch.int32, torch.int64), indices=indices)
    require(indices.dim() >= 2, operator, "indices must have two dimensions or more")
    depth = indices.shape[-1]
    require(
        depth <= target.dim() <= 8, operator, "indices must not be deeper than input, which has 8 dimensions at most"
    )
    wanted = (*indices.shape[:-1], *target.shape[depth:])
    require(updates.shape == wanted, operator, f"updates must be {tuple(wanted)}, got {tuple(updates.shape)}")


def _write(operator: str, target: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor) -> None:
    flat = indices.reshape(-1, indices.shape[-1]).long()
    sizes = torch.tensor(target.shape[: flat.shape[1]])
    require(bool(((flat >= 0) & (flat < sizes)).all()), operator, "indices must lie within input")
    require(len(flat.unique(dim=0)) == len(flat), operator, "indices must not repeat")
    target[tuple(flat.unbind(1))] = updates.reshape(len(flat), *target.shape[flat.shape[1] :])


@reference(_UPDATE)
def npu_scatter_nd_update_(self: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor) -> torch.Tensor:
    """Write the updates into the tensor, and return it."""
    _check(_UPDATE, _CONTENT, self, indices, updates)
    _write(_UPDATE, self, indices, updates)
    return self


@fake(_UPDATE)
def npu_scatter_nd_update_fake(self: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor) -> torch.Tensor:
    """Return the tensor that is written."""
    _check(_UPDATE, _CONTENT, self, indices, updates)
    return self


def _check_rows(var: torch.Tensor, indices: torch.Tensor, update: torch.Tensor) -> None:
    _check(_ROWS, _ROW_CONTENT, var, indices, update)
    require(var.dim() == 2 and indices.shape[-1] == 1, _ROWS, "var must be [rows, columns], indices [writes, 1]")
    inner = var.stride(1) == 1 and var.stride(0) >= var.shape[1]
    require(inner, _ROWS, "the rows of var must be contiguous and not overlap")


@reference(_ROWS)
def npu_scatter_nd_update_sk(var: torch.Tensor, indices: torch.Tensor, update: torch.Tensor) -> None:
    """Write the rows."""
    _check_rows(var, indices, update)
    _write(_ROWS, var, indices, update)


@fake(_ROWS)
def npu_scatter_nd_update_sk_fake(var: torch.Tensor, indices: torch.Tensor, update: torch.Tensor) -> None:
    """Return nothing: the rows are written in place."""
    _check_rows(var, indices, update)
