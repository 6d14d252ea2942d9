"""RMSNorm: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_rms_norm``.

It has no entry for ``npu_add_rms_norm``, which is held to the same, as are those of vllm-ascend's own extension; it
gives gamma at least two dimensions, but its own example, and every model, has one.
"""

import torch

from torch_npu_sim.constraints import FLOAT, HALF, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference


def _check(operator: str, gamma: torch.Tensor, **inputs: torch.Tensor) -> None:
    dtype(operator, FLOAT, **inputs, gamma=gamma)
    same_dtype(operator, **inputs, gamma=gamma)
    rank(operator, range(2, 9), **inputs)
    rank(operator, range(1, 9), gamma=gamma)
    for name, x in inputs.items():
        normalised = x.shape[x.dim() - gamma.dim() :]
        require(normalised == gamma.shape, operator, f"gamma must have the shape of {name}'s last dimensions")


def _normalise(x: torch.Tensor, gamma: torch.Tensor, epsilon: float) -> tuple[torch.Tensor, torch.Tensor]:
    wide = x.float()
    rstd = torch.rsqrt(wide.square().mean(tuple(range(-gamma.dim(), 0)), keepdim=True) + epsilon)
    return (wide * rstd * gamma.float()).to(x.dtype), rstd


def _rstd(x: torch.Tensor, gamma: torch.Tensor) -> torch.Tensor:
    shape = [*x.shape[: x.dim() - gamma.dim()], *(1 for _ in gamma.shape)]
    return x.new_empty(shape, dtype=torch.float32)


@reference("npu_rms_norm")
def npu_rms_norm(self: torch.Tensor, gamma: torch.Tensor, epsilon: float = 1e-6) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the normalised tensor and the reciprocal root mean square."""
    _check("npu_rms_norm", gamma, x=self)
    return _normalise(self, gamma, epsilon)


@fake("npu_rms_norm")
def npu_rms_norm_fake(
    self: torch.Tensor, gamma: torch.Tensor, epsilon: float = 1e-6
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a tensor like the input, and one value for each normalised part."""
    _check("npu_rms_norm", gamma, x=self)
    return self.new_empty(self.shape), _rstd(self, gamma)


@reference("npu_add_rms_norm")
def npu_add_rms_norm(
    x1: torch.Tensor, x2: torch.Tensor, gamma: torch.Tensor, epsilon: float = 1e-6
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the normalised sum, the reciprocal root mean square and the sum."""
    _check("npu_add_rms_norm", gamma, x1=x1, x2=x2)
    require(x1.shape == x2.shape, "npu_add_rms_norm", "x1 and x2 must have one shape")
    total = x1 + x2
    y, rstd = _normalise(total, gamma, epsilon)
    return y, rstd, total


@fake("npu_add_rms_norm")
def npu_add_rms_norm_fake(
    x1: torch.Tensor, x2: torch.Tensor, gamma: torch.Tensor, epsilon: float = 1e-6
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return two tensors like the inputs, and one value for each normalised part."""
    _check("npu_add_rms_norm", gamma, x1=x1, x2=x2)
    require(x1.shape == x2.shape, "npu_add_rms_norm", "x1 and x2 must have one shape")
    return x1.new_empty(x1.shape), _rstd(x1, gamma), x1.new_empty(x1.shape)


_WITH_BIAS = "_C_ascend::npu_add_rms_norm_bias"
_GEMMA = "_C_ascend::npu_gemma_rms_norm"
_CAST = "_C_ascend::npu_rms_norm_cast"


@fake(_WITH_BIAS)
@reference(_WITH_BIAS)
def npu_add_rms_norm_bias(
    x1: torch.Tensor, x2: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor | None = None, epsilon: float = 1e-6
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the normalised sum plus the bias, the reciprocal root mean square and the sum."""
    _check(_WITH_BIAS, gamma, x1=x1, x2=x2)
    require(x1.shape == x2.shape, _WITH_BIAS, "x1 and x2 must have one shape")
    total = x1 + x2
    y, rstd = _normalise(total, gamma, epsilon)
    if beta is None:
        return y, rstd, total
    fits = beta.shape == gamma.shape and beta.dtype == gamma.dtype
    require(fits, _WITH_BIAS, "beta must have gamma's shape and dtype")
    return (total.float() * rstd * gamma.float() + beta.float()).to(y.dtype), rstd, total


@fake(_GEMMA)
@reference(_GEMMA)
def npu_gemma_rms_norm(x: torch.Tensor, gamma: torch.Tensor, epsilon: float = 1e-6) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the tensor normalised with 1 + gamma, and the reciprocal root mean square."""
    _check(_GEMMA, gamma, x=x)
    y, rstd = _normalise(x.float(), 1 + gamma.float(), epsilon)
    return y.to(x.dtype), rstd


@fake(_CAST)
@reference(_CAST)
def npu_rms_norm_cast(x: torch.Tensor, gamma: torch.Tensor, epsilon: float = 1e-6) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the normalised tensor, and the same in float32."""
    dtype(_CAST, HALF, x=x, gamma=gamma)
    require(gamma.dim() == 1, _CAST, "gamma must have one dimension")
    _check(_CAST, gamma, x=x)
    y, _ = _normalise(x, gamma, epsilon)
    return y, y.to(torch.float32, copy=True)
