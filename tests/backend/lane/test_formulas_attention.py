"""Attention operators against their formulas: see ``test_formulas.py``."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from ascend_backend.ops import attention
from hypothesis import given
from hypothesis import strategies as st
from torch_npu_sim.constraints import ConstraintError

from tests.backend.lane.formulas import attended, close, dtypes
from tests.backend.lane.samples import samples

pytestmark = pytest.mark.usefixtures("seed")


@dtypes
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(
    ("heads", "kv_heads", "size", "block_size"),
    [(1, 1, 16, 128), (4, 2, 64, 128), (8, 1, 32, 256), (3, 3, 128, 512)],
)
def test_paged_attention(
    heads: int, kv_heads: int, size: int, block_size: int, causal: bool, dtype: torch.dtype
) -> None:
    contexts, tokens = [block_size + 3, 9, 1], [2, 9, 1]
    blocks = 5
    caches = [torch.randn(blocks, block_size, kv_heads, size).to(dtype) for _ in range(2)]
    table = torch.tensor([[4, 1], [2, 0], [3, 0]], dtype=torch.int32)
    query = torch.randn(sum(tokens), heads, size).to(dtype)
    result = attention.paged_attention(
        query,
        *caches,
        query_ends=torch.tensor(tokens).cumsum(0).tolist(),
        context_lengths=contexts,
        block_table=table,
        num_kv_heads=kv_heads,
        scale=size**-0.5,
        causal=causal,
    )
    start = 0
    for row, (count, length) in enumerate(zip(tokens, contexts, strict=True)):
        key, value = (
            torch.stack([c[table[row, i // block_size], i % block_size] for i in range(length)])
            for c in caches
        )
        exact = attended(query[start : start + count], key, value, size**-0.5, causal)
        close(result[start : start + count], exact, dtype)
        start += count


@dtypes
@pytest.mark.parametrize("window", [1, 8, 131, 400])
@pytest.mark.parametrize(("heads", "kv_heads", "size"), [(1, 1, 16), (4, 2, 64)])
def test_sliding_window(heads: int, kv_heads: int, size: int, window: int, dtype: torch.dtype) -> None:
    # Single tokens with more and with fewer keys than the window, whole prompts, and pieces of prompts.
    tokens, contexts = [1, 9, 1, 3, 1, 2], [131, 9, 3, 140, 1, 128]
    caches = [torch.randn(5, 128, kv_heads, size).to(dtype) for _ in range(2)]
    table = torch.tensor([[4, 1], [2, 0], [3, 0], [1, 4], [0, 0], [2, 2]], dtype=torch.int32)
    query = torch.randn(sum(tokens), heads, size).to(dtype)
    ends = torch.tensor(tokens).cumsum(0).tolist()
    result = attention.paged_attention(
        query,
        *caches,
        query_ends=ends,
        context_lengths=contexts,
        block_table=table,
        num_kv_heads=kv_heads,
        scale=size**-0.5,
        causal=True,
        window=attention.windowed_rows(ends, contexts, window, query.device),
    )
    start = 0
    for row, (count, length) in enumerate(zip(tokens, contexts, strict=True)):
        key, value = (c[table[row].long()].flatten(0, 1)[:length] for c in caches)
        end = start + count
        exact = attended(query[start:end], key, value, size**-0.5, True, window)
        close(result[start:end], exact, dtype)
        start = end


def test_the_operator_itself_has_no_window_for_a_single_token() -> None:
    """Why such a token is sent twice: the documentation says that ``pre_tokens`` has no effect on it."""
    arguments, keywords = samples()["npu_fused_infer_attention_score"][0]
    operator = torch.ops.npu.npu_fused_infer_attention_score
    whole, _ = operator(*arguments, **keywords)
    windowed, _ = operator(*arguments, **keywords | {"sparse_mode": 4, "pre_tokens": 2, "next_tokens": 0})
    assert torch.equal(windowed[:4], whole[:4])
    assert not torch.isclose(windowed[4:], whole[4:]).any()


requests = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 9)), min_size=1, max_size=8)


@given(requests, st.integers(1, 9))
def test_rows_of_a_window(parts: list[tuple[int, int]], window: int) -> None:
    ends = torch.tensor([tokens for tokens, _ in parts]).cumsum(0).tolist()
    lengths = [tokens + before for tokens, before in parts]
    rows = attention.windowed_rows(ends, lengths, window, torch.device("cpu"))
    assert rows.rows[rows.kept].tolist() == list(range(ends[-1]))
    assert rows.query_ends[-1] == len(rows.rows)
    start = 0
    for end, length, (tokens, _) in zip(rows.query_ends, lengths, parts, strict=True):
        # The last rows of a request are its tokens; only one to which the window matters stands there twice.
        assert end - start == (2 if tokens == 1 and length > window else tokens)
        assert sum(start <= place < end for place in rows.kept.tolist()) == tokens
        start = end


@dtypes
@pytest.mark.parametrize(("heads", "tokens"), [(1, [1, 1]), (16, [1, 1]), (4, [16, 2]), (128, [3, 1])])
def test_latent_attention(heads: int, tokens: list[int], dtype: torch.dtype) -> None:
    latent, rope = torch.randn(3, 128, 1, 512).to(dtype), torch.randn(3, 128, 1, 64).to(dtype)
    lengths, table = [130, 20], torch.tensor([[2, 1], [0, 0]], dtype=torch.int32)
    nope, turned = (
        torch.randn(sum(tokens), heads, 512).to(dtype),
        torch.randn(sum(tokens), heads, 64).to(dtype),
    )
    output, lse = attention.paged_latent_attention(
        nope,
        turned,
        latent,
        rope,
        query_ends=torch.tensor(tokens).cumsum(0).tolist(),
        context_lengths=lengths,
        block_table=table,
        scale=0.04,
    )
    start = 0
    for row, count in enumerate(tokens):
        pages = table[row].long()
        c, r = (t[pages].reshape(-1, 1, t.shape[-1])[: lengths[row]] for t in (latent, rope))
        end = start + count
        query, key = torch.cat((nope, turned), -1)[start:end], torch.cat((c, r), -1)
        close(output[start:end], attended(query, key, c, 0.04, True), dtype)
        scores = key[:, 0].double() @ query[-1].double().T * 0.04
        close(lse[end - 1], scores.exp().sum(0).log(), torch.float32)
        start = end


@dtypes
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("heads", "kv_heads", "size"), [(1, 1, 8), (4, 2, 72), (2, 2, 80)])
def test_packed_attention(heads: int, kv_heads: int, size: int, causal: bool, dtype: torch.dtype) -> None:
    query, key, value = (torch.randn(12, n, size).to(dtype) for n in (heads, kv_heads, kv_heads))
    output, _ = attention.varlen_attention(
        query, key, value, query_ends=[5, 12], key_ends=[5, 12], scale=0.2, causal=causal
    )
    for part in (slice(0, 5), slice(5, 12)):
        close(output[part], attended(query[part], key[part], value[part], 0.2, causal), dtype)


def test_more_packed_sequences_than_a_call_takes() -> None:
    """Windows of a vision encoder."""
    ends = torch.tensor([3, 1, 2] * 900).cumsum(0).tolist()
    query, key, value = (torch.randn(ends[-1], 2, 16) for _ in range(3))
    kind = {"scale": 0.3, "causal": False}
    with pytest.raises(ConstraintError, match="at most 2048 "):
        attention._packed_attention(query, key, value, query_ends=ends, key_ends=ends, **kind)
    output, lse = attention.varlen_attention(query, key, value, query_ends=ends, key_ends=ends, **kind)
    assert lse.shape == output.shape[:2]
    for number in (0, 1023, 1024, 2699):
        part = slice(ends[number - 1] if number else 0, ends[number])
        close(output[part], attended(query[part], key[part], value[part], 0.3, False), torch.float32)


# float16 is not documented for it; float32 stands in for bfloat16.
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("heads", "kv_heads", "size"), [(1, 1, 128), (4, 4, 32), (6, 2, 96)])
def test_rotated_attention(heads: int, kv_heads: int, size: int, causal: bool, dtype: torch.dtype) -> None:
    nope, turned = torch.randn(7, heads, size).to(dtype), torch.randn(7, heads, 64).to(dtype)
    key, rope, value = (torch.randn(15, kv_heads, n).to(dtype) for n in (size, 64, size))
    output, lse = attention.rotated_attention(
        nope, turned, key, rope, value, query_ends=[5, 7], key_ends=[5, 15], scale=0.07, causal=causal
    )
    whole, keys = torch.cat((nope, turned), -1), torch.cat((key, rope), -1)
    for queries, seen in ((slice(0, 5), slice(0, 5)), (slice(5, 7), slice(5, 15))):
        close(output[queries], attended(whole[queries], keys[seen], value[seen], 0.07, causal), dtype)
        last = whole[queries][-1].double()
        for head in range(heads):
            scores = keys[seen, head // (heads // kv_heads)].double() @ last[head] * 0.07
            close(lse[queries][-1, head], scores.exp().sum().log(), torch.float32)


def test_rotated_attention_takes_no_float16() -> None:
    parts = [torch.zeros(3, 2, size).half() for size in (128, 64, 128, 64, 128)]
    with pytest.raises(ConstraintError, match=r"query is (torch\.)?float16, \w+ are bfloat16"):
        attention.rotated_attention(*parts, query_ends=[3], key_ends=[3], scale=0.1, causal=True)


@dtypes
@pytest.mark.parametrize("borders", [[0, 4, 9], [0, 1, 3, 9]])
def test_parts_of_the_keys_are_merged(borders: list[int], dtype: torch.dtype) -> None:
    query, key, value = (torch.randn(n, 3, 24).to(dtype) for n in (5, 9, 9))
    parts = []
    for start, end in pairwise(borders):
        exact = attended(query, key[start:end], value[start:end], 0.3, causal=False)
        scores = torch.einsum("qhd,khd->qhk", query.double(), key[start:end].double()) * 0.3
        parts.append((exact.to(dtype), scores.exp().sum(-1).log().float()))
    output, lse = attention.merge(parts)
    close(output, attended(query, key, value, 0.3, causal=False), dtype)
    all_scores = torch.einsum("qhd,khd->qhk", query.double(), key.double()) * 0.3
    close(lse, all_scores.exp().sum(-1).log(), torch.float32)
