"""The gated delta rule in chunks, the two parts that vllm-ascend's own extension computes.

``chunk_gated_delta_rule_fwd_h`` carries the state from chunk to chunk, ``chunk_fwd_o`` makes outputs of the states;
both are also there under names that end in ``_vllm``. Meaning and layouts are those of their caller
(``vllm_ascend/ops/triton/fla/chunk.py``) and of the kernels of flash-linear-attention that they replace: heads stand
before tokens, ``g`` is summed up within each chunk.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import torch

from torch_npu_sim.constraints import HALF, absent, dtype, rank, require
from torch_npu_sim.operators import fake, reference

_STATES = ("_C_ascend::chunk_gated_delta_rule_fwd_h", "_C_ascend::chunk_gated_delta_rule_fwd_h_vllm")
_OUTPUTS = ("_C_ascend::chunk_fwd_o", "_C_ascend::chunk_fwd_o_vllm")

_CHUNK = 64


def _chunks(operator: str, tokens: int, cu_seqlens: Sequence[int] | None, size: int) -> list[tuple[int, int, int, int]]:
    """Return (sequence, its number of the chunk, start, end) of every chunk."""
    ends = [0, tokens] if cu_seqlens is None else list(cu_seqlens)
    rises = all(first <= last for first, last in pairwise(ends))
    require(rises and ends[-1] == tokens, operator, "cu_seqlens must rise to the tokens")
    return [
        (sequence, number, start, min(start + size, last))
        for sequence, (first, last) in enumerate(pairwise(ends))
        for number, start in enumerate(range(first, last, size))
    ]


def _check_states(
    operator: str,
    k: torch.Tensor,
    w: torch.Tensor,
    u: torch.Tensor,
    g: torch.Tensor | None,
    initial_state: torch.Tensor | None,
    cu_seqlens: Sequence[int] | None,
) -> int:
    """Return how many sequences there are."""
    dtype(operator, HALF, k=k, w=w, u=u)
    dtype(operator, (torch.float32,), g=g)
    rank(operator, range(4, 5), k=k, w=w, u=u)
    require(k.shape[0] == 1, operator, "B must be 1")
    heads = u.shape[1]
    fits = w.shape[1] == heads and heads % k.shape[1] == 0 and w.shape[2:] == k.shape[2:] and u.shape[2] == k.shape[2]
    require(fits, operator, "k must be [1, Nk, T, K], w [1, Nv, T, K] and u [1, Nv, T, V]")
    require(g is None or g.shape == u.shape[:3], operator, "g must be [1, Nv, T]")
    sequences = 1 if cu_seqlens is None else len(cu_seqlens) - 1
    wanted = (sequences, heads, k.shape[3], u.shape[3])
    given = initial_state is None or initial_state.shape == wanted
    require(given, operator, f"initial_state must be {wanted}")
    return sequences


def _register_states(operator: str) -> None:
    @reference(operator)
    def states(
        k: torch.Tensor,
        w: torch.Tensor,
        u: torch.Tensor,
        g: torch.Tensor | None = None,
        *,
        gk: torch.Tensor | None = None,
        initial_state: torch.Tensor | None = None,
        output_final_state: bool | None = False,
        chunk_size: int | None = None,
        save_new_value: bool | None = True,
        cu_seqlens: Sequence[int] | None = None,
        chunk_indices: Sequence[int] | None = None,
        use_exp2: bool | None = False,
        transpose_state_layout: bool | None = False,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        absent(operator, gk=gk, use_exp2=use_exp2 or None, transpose_state_layout=transpose_state_layout or None)
        sequences = _check_states(operator, k, w, u, g, initial_state, cu_seqlens)
        heads, size = u.shape[1], u.shape[3]
        chunks = _chunks(operator, k.shape[2], cu_seqlens, chunk_size or _CHUNK)
        keys = k[0].float().repeat_interleave(heads // k.shape[1], 0)
        decay = u.new_zeros(u.shape[1:3], dtype=torch.float32) if g is None else g[0]
        present = u.new_zeros((sequences, heads, k.shape[3], size), dtype=torch.float32)
        if initial_state is not None:
            present.copy_(initial_state)
        before = k.new_zeros((1, heads, len(chunks), k.shape[3], size))
        values = torch.zeros_like(u)
        for place, (sequence, _, start, end) in enumerate(chunks):
            state, part = present[sequence], slice(start, end)
            before[0, :, place] = state.to(k.dtype)
            new = u[0, :, part].float() - w[0, :, part].float() @ state
            values[0, :, part] = new.to(u.dtype)
            last = decay[:, end - 1, None]
            left = (last - decay[:, part]).exp()[..., None] * new
            present[sequence] = last.exp()[..., None] * state + keys[:, part].transpose(1, 2) @ left
        return before, values, present.to(k.dtype if initial_state is None else initial_state.dtype)

    @fake(operator)
    def states_fake(
        k: torch.Tensor,
        w: torch.Tensor,
        u: torch.Tensor,
        g: torch.Tensor | None = None,
        *,
        initial_state: torch.Tensor | None = None,
        chunk_size: int | None = None,
        cu_seqlens: Sequence[int] | None = None,
        **others: object,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        sequences = _check_states(operator, k, w, u, g, initial_state, cu_seqlens)
        chunks = len(_chunks(operator, k.shape[2], cu_seqlens, chunk_size or _CHUNK))
        tail = (k.shape[3], u.shape[3])
        after = k.dtype if initial_state is None else initial_state.dtype
        return (
            k.new_empty((1, u.shape[1], chunks, *tail)),
            u.new_empty(u.shape),
            k.new_empty((sequences, u.shape[1], *tail), dtype=after),
        )


def _check_outputs(
    operator: str, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, h: torch.Tensor, g: torch.Tensor | None
) -> None:
    dtype(operator, HALF, q=q, k=k, v=v, h=h)
    dtype(operator, (torch.float32,), g=g)
    rank(operator, range(4, 5), q=q, k=k, v=v)
    rank(operator, range(5, 6), h=h)
    fits = q.shape == k.shape and v.shape[1] % k.shape[1] == 0 and v.shape[2] == k.shape[2]
    require(fits and k.shape[0] == 1, operator, "q and k must be [1, Nk, T, K] and v [1, Nv, T, V]")
    wanted = (1, v.shape[1], h.shape[2], k.shape[3], v.shape[3])
    require(h.shape == wanted, operator, f"h must be {tuple(wanted)}")
    require(g is None or g.shape == v.shape[:3], operator, "g must be [1, Nv, T]")


def _parts(
    operator: str, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, cu_seqlens: Sequence[int] | None, size: int
) -> Iterator[tuple[int, slice, torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Yield the number, the tokens, and queries, keys and values of every chunk, for each head of values."""
    shared = v.shape[1] // k.shape[1]
    queries, keys = (part[0].float().repeat_interleave(shared, 0) for part in (q, k))
    for place, (_, _, start, end) in enumerate(_chunks(operator, k.shape[2], cu_seqlens, size)):
        part = slice(start, end)
        yield place, part, queries[:, part], keys[:, part], v[0, :, part].float()


def _register_outputs(operator: str) -> None:
    @reference(operator)
    def outputs(
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        h: torch.Tensor,
        scale: float,
        *,
        g: torch.Tensor | None = None,
        g_gamma: torch.Tensor | None = None,
        cu_seqlens: Sequence[int] | None = None,
        chunk_indices: Sequence[int] | None = None,
        chunk_size: int | None = None,
        transpose_state_layout: bool | None = False,
    ) -> torch.Tensor:
        absent(operator, g_gamma=g_gamma, transpose_state_layout=transpose_state_layout or None)
        _check_outputs(operator, q, k, v, h, g)
        decay = v.new_zeros(v.shape[1:3], dtype=torch.float32) if g is None else g[0]
        output = torch.zeros_like(v)
        for place, part, queries, keys, values in _parts(operator, q, k, v, cu_seqlens, chunk_size or _CHUNK):
            own = decay[:, part]
            within = (own[:, :, None] - own[:, None, :]).tril().exp().tril()
            carried = own.exp()[..., None] * (queries @ h[0, :, place].float())
            output[0, :, part] = (scale * (carried + (within * (queries @ keys.transpose(1, 2))) @ values)).to(v.dtype)
        return output

    @fake(operator)
    def outputs_fake(
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        h: torch.Tensor,
        scale: float,
        *,
        g: torch.Tensor | None = None,
        **others: object,
    ) -> torch.Tensor:
        _check_outputs(operator, q, k, v, h, g)
        return v.new_empty(v.shape)


for _name in _STATES:
    _register_states(_name)
for _name in _OUTPUTS:
    _register_outputs(_name)
