"""Filtering logits: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_top_k_top_p``."""

import torch

from torch_npu_sim.constraints import FLOAT, dtype, rank, require, same_dtype, within
from torch_npu_sim.operators import fake, reference

_OPERATOR = "npu_top_k_top_p"
_MOST = 1024


def _check(logits: torch.Tensor, p: torch.Tensor | None, k: torch.Tensor | None) -> None:
    dtype(_OPERATOR, FLOAT, logits=logits, p=p)
    same_dtype(_OPERATOR, logits=logits, p=p)
    dtype(_OPERATOR, (torch.int32,), k=k)
    rank(_OPERATOR, range(2, 3), logits=logits)
    rank(_OPERATOR, range(1, 2), p=p, k=k)
    require(p is not None or k is not None, _OPERATOR, "p or k must be given")
    for name, bound in (("p", p), ("k", k)):
        fits = bound is None or bound.shape[0] == logits.shape[0]
        require(fits, _OPERATOR, f"{name} must have one value a row of logits")


@reference(_OPERATOR)
def npu_top_k_top_p(logits: torch.Tensor, p: torch.Tensor | None = None, k: torch.Tensor | None = None) -> torch.Tensor:
    """Return the logits, those outside the top k and the top p being -inf."""
    _check(logits, p, k)
    ordered, places = logits.sort(dim=-1, stable=True)
    if k is not None:
        within(_OPERATOR, 1, min(_MOST, logits.shape[1]), k=k)
        bound = ordered.gather(1, logits.shape[1] - k.long()[:, None])
        ordered = ordered.masked_fill(ordered < bound, float("-inf"))
    if p is not None:
        within(_OPERATOR, 0, 1, p=p)
        dropped = ordered.float().softmax(-1).cumsum(-1) <= 1 - p.float()[:, None]
        dropped[:, -1] = False
        ordered = ordered.masked_fill(dropped, float("-inf"))
    return torch.empty_like(ordered).scatter_(1, places, ordered)


@fake(_OPERATOR)
def npu_top_k_top_p_fake(
    logits: torch.Tensor, p: torch.Tensor | None = None, k: torch.Tensor | None = None
) -> torch.Tensor:
    """Return a tensor like the logits."""
    _check(logits, p, k)
    return logits.new_empty(logits.shape)
