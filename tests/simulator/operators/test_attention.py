"""Attention in every layout against sums written out in float64, query by query and head by head."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError
from torch_npu_sim.settings import variable

from tests.simulator.operators.running import Call, checked, close, dtypes, run

FIRST, SECOND = "npu_fused_infer_attention_score", "npu_fused_infer_attention_score_v2"
ATB, ATB_WORKSPACE = "_npu_paged_attention", "_npu_paged_attention_get_workspace"
SCALE = 0.3


def attended(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, causal: bool, window: int | None = None,
    sink: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    """The last query sees all keys, or the window's last ones; a sink takes its part and gives nothing."""
    query, key, value = query.double(), key.double(), value.double()
    output = torch.zeros(*query.shape[:2], value.shape[-1], dtype=torch.float64)
    sums = torch.full(query.shape[:2], float("-inf"), dtype=torch.float64)
    group = query.shape[1] // key.shape[1]
    for token in range(len(query) if len(key) else 0):
        end = len(key) - len(query) + token + 1 if causal else len(key)
        seen = slice(0 if window is None else max(0, end - window), end)
        for head in range(query.shape[1]):
            scores = key[seen, head // group] @ query[token, head] * SCALE
            extra = [] if sink is None else [sink[head].double()[None]]
            weights = torch.cat([scores, *extra]).softmax(0)[: len(scores)]
            output[token, head] = weights @ value[seen, head // group]
            sums[token, head] = torch.cat([scores, *extra]).logsumexp(0)
    return output, sums


def mask() -> torch.Tensor:
    return torch.ones(2048, 2048, dtype=torch.bool).triu_(1)


def keywords(
    name: str, ends: list[int] | None, lengths: list[int], heads: int, kv_heads: int, **more: Any
) -> dict[str, Any]:
    """The arguments that both versions have, by their names in the one called."""
    first = name.partition(".")[0] == FIRST
    given = {
        "num_heads" if first else "num_query_heads": heads,
        "num_key_value_heads": kv_heads,
        "scale" if first else "softmax_scale": SCALE,
        "actual_seq_lengths" if first else "actual_seq_qlen": ends,
        "actual_seq_lengths_kv" if first else "actual_seq_kvlen": lengths,
        "input_layout": "TND",
    }
    if more.pop("lse", False):
        given["softmax_lse_flag" if first else "return_softmax_lse"] = True
    return given | more


@dtypes
@pytest.mark.parametrize("name", [FIRST, SECOND])
@pytest.mark.parametrize(("mode", "window"), [(0, None), (3, None), (4, 3)])
def test_packed_without_a_cache(mode: int, window: int | None, name: str, dtype: torch.dtype) -> None:
    query, key, value = torch.randn(9, 4, 32), torch.randn(12, 2, 32), torch.randn(12, 2, 32)
    query, key, value = query.to(dtype), key.to(dtype), value.to(dtype)
    band = {} if window is None else {"pre_tokens": window - 1, "next_tokens": 0}
    given = keywords(
        name, [4, 9], [4, 12], 4, 2, atten_mask=mask() if mode else None, sparse_mode=mode, lse=True
    )
    output, lse = run(name, query, key, value, **given, **band)
    for (start, end), (first, last) in [((0, 4), (0, 4)), ((4, 9), (4, 12))]:
        exact, sums = attended(query[start:end], key[first:last], value[first:last], mode != 0, window)
        close(output[start:end], exact, dtype, 2)
        torch.testing.assert_close(lse[start:end, :, 0].double(), sums, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("name", [FIRST, SECOND])
def test_packed_with_rotated_parts_of_either_version(name: str) -> None:
    query, key, value = (torch.randn(7, 4, 128) for _ in range(3))
    ropes = torch.randn(7, 4, 64), torch.randn(7, 4, 64)
    given = keywords(name, [3, 7], [3, 7], 4, 4, atten_mask=mask(), sparse_mode=3)
    output, _ = run(name, query, key, value, query_rope=ropes[0], key_rope=ropes[1], **given)
    for part in (slice(0, 3), slice(3, 7)):
        wide = [torch.cat((t[part], rope[part]), -1) for t, rope in ((query, ropes[0]), (key, ropes[1]))]
        close(output[part], attended(*wide, value[part], True)[0], torch.float32)


def test_a_chunk_without_keys_is_no_part_of_what_is_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    query, key, value = (torch.randn(5, 4, 32) for _ in range(3))
    given = keywords(FIRST, [2, 5], [5, 5], 4, 4, lse=True)
    output, lse = run(FIRST, query, key, value, **given)
    assert not output[2:].any()
    other, sums = torch.randn(20, 32), torch.randn(20)
    merged, _ = run("npu_attention_update", [lse.flatten(), sums], [output.view(20, 32), other], 0)
    torch.testing.assert_close(merged[8:], other[8:])
    exact = torch.stack([lse.flatten()[:8], sums[:8]]).double().softmax(0)
    wanted = exact[0, :, None] * output.view(20, 32)[:8] + exact[1, :, None] * other[:8]
    torch.testing.assert_close(merged[:8].double(), wanted, rtol=1e-5, atol=1e-5)
    monkeypatch.setenv(variable("strict"), "1")
    with pytest.raises(ConstraintError, match="no sequence may be empty"):
        run(FIRST, query, key, value, **given)


LENGTHS, TABLE = [140, 17, 128], [[3, 0], [1, 2], [2, 1]]


def cache(rows: torch.Tensor, layout: str) -> torch.Tensor:
    """A cache ([blocks, tokens, heads, size]) in one of three layouts."""
    if layout == "rows":
        return rows.flatten(2)
    heads_first = rows.transpose(1, 2).contiguous()
    return (
        heads_first
        if layout == "heads first"
        else heads_first.unflatten(-1, (-1, 16)).transpose(2, 3).contiguous()
    )


def tokens(rows: torch.Tensor, request: int) -> torch.Tensor:
    return rows[TABLE[request]].flatten(0, 1)[: LENGTHS[request]]


@pytest.mark.parametrize("layout", ["TND", "BSH", "BSND", "BNSD", "BNSD_BSND", "BNSD_NBSD", "BSND_NBSD"])
@pytest.mark.parametrize("cache_layout", ["rows", "heads first", "parts"])
def test_batches_over_a_cache(cache_layout: str, layout: str) -> None:
    rows = [torch.randn(4, 128, 2, 32) for _ in range(2)]
    query = torch.randn(3, 2, 4, 32)  # batch, sequence, heads, size
    table = torch.tensor(TABLE, dtype=torch.int32)
    arranged = {"TND": (6, 4, 32), "BSH": (3, 2, 128)}
    first, _, last = layout.partition("_")
    given = (
        query.transpose(1, 2).contiguous()
        if first == "BNSD"
        else query.reshape(arranged.get(first, query.shape))
    )
    caches = [cache(one, cache_layout) for one in rows]
    more = keywords(
        SECOND, [2, 4, 6] if layout == "TND" else None, LENGTHS, 4, 2, block_table=table, block_size=128
    )
    more |= {"input_layout": layout, "atten_mask": mask(), "sparse_mode": 3, "return_softmax_lse": True}
    output, lse = run(SECOND, given, *caches, **more)
    exact, sums = zip(
        *(attended(query[i], tokens(rows[0], i), tokens(rows[1], i), True) for i in range(3)), strict=True
    )
    whole = torch.stack(exact)
    orders = {"BNSD": (0, 2, 1, 3), "NBSD": (2, 0, 1, 3)}
    whole = whole.permute(orders.get(last or first, (0, 1, 2, 3)))
    close(output, whole.reshape(output.shape), torch.float32)
    assert output.is_contiguous()
    wanted = torch.stack(sums)[..., None]
    wanted = wanted.flatten(0, 1) if layout == "TND" else wanted.transpose(1, 2)
    torch.testing.assert_close(lse.double(), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("cache_layout", ["heads first", "parts"])
@pytest.mark.parametrize("layout", ["BNSD_NBSD", "BSND_NBSD"])
def test_latent_attention_of_single_tokens(layout: str, cache_layout: str) -> None:
    latent, rope = torch.randn(4, 128, 1, 512), torch.randn(4, 128, 1, 64)
    query, query_rope = torch.randn(3, 8, 512), torch.randn(3, 8, 64)
    axis = 2 if layout.startswith("BNSD") else 1
    more = keywords(
        SECOND, None, LENGTHS, 8, 1, block_table=torch.tensor(TABLE, dtype=torch.int32), block_size=128
    )
    caches = cache(latent, cache_layout)
    output, _ = run(
        SECOND, query.unsqueeze(axis), caches, caches, query_rope=query_rope.unsqueeze(axis),
        key_rope=cache(rope, cache_layout), **more | {"input_layout": layout},
    )  # fmt: skip
    assert output.shape == (8, 3, 1, 512)
    for request in range(3):
        keys = torch.cat((tokens(latent, request), tokens(rope, request)), -1)
        wide = torch.cat((query[request], query_rope[request]), -1)[None]
        exact, _ = attended(wide, keys, tokens(latent, request), False)
        close(output[:, request, 0], exact[0], torch.float32, 10)


@dtypes
def test_sinks_take_part_of_the_weights(dtype: torch.dtype) -> None:
    query, key, value = (torch.randn(5, 4, 32).to(dtype) for _ in range(3))
    sink = torch.randn(4).to(dtype) * 3
    given = keywords(SECOND, [5], [5], 4, 4, atten_mask=mask(), sparse_mode=3, learnable_sink=sink)
    output, _ = run(SECOND, query, key, value, **given)
    close(output, attended(query, key, value, True, sink=sink)[0], dtype, 2)


@pytest.mark.parametrize("name", [FIRST, SECOND])
def test_results_that_are_given(name: str) -> None:
    query, key, value = (torch.randn(5, 4, 32) for _ in range(3))
    given = keywords(name, [5], [5], 4, 4)
    exact, _ = run(name, query, key, value, **given)
    memory = run(f"_{name}_get_max_workspace", query, key, value, **given)
    output, lse = torch.full((5, 4, 32), 7.0), torch.full((1,), 7.0)
    found = run(
        f"{name}.out", query, key, value, **given, workspace=memory, attention_out=output, softmax_lse=lse
    )
    assert found[0] is output
    assert found[1] is lse
    assert torch.equal(output, exact)
    assert lse.item() == 7.0
    with pytest.raises(ConstraintError, match=r"attention_out must be \(5, 4, 32\)"):
        run(f"{name}.out", query, key, value, **given, attention_out=torch.empty(4, 4, 32), softmax_lse=lse)


def atb_call(dtype: torch.dtype = torch.float32) -> tuple[list[torch.Tensor], Call]:
    rows = [torch.randn(4, 128, 2, 32).to(dtype) for _ in range(2)]
    query, table = torch.randn(3, 4, 32).to(dtype), torch.tensor(TABLE, dtype=torch.int32)
    lengths = torch.tensor(LENGTHS, dtype=torch.int32)
    return rows, ((query, *rows, 2, 4, SCALE, table, lengths, torch.zeros(3, 4, 32).to(dtype)), {})


@dtypes
def test_paged_attention_of_atb(dtype: torch.dtype) -> None:
    rows, (arguments, _) = atb_call(dtype)
    memory = run(ATB_WORKSPACE, *arguments)
    run(ATB, *arguments, workspace=memory)
    query, output = arguments[0], arguments[-1]
    for request in range(3):
        exact, _ = attended(query[request][None], tokens(rows[0], request), tokens(rows[1], request), False)
        close(output[request], exact[0], dtype, 2)


@pytest.mark.parametrize("name", [ATB, ATB_WORKSPACE])
def test_opcheck_of_atb(name: str) -> None:
    checked(name, atb_call()[1])


@pytest.mark.parametrize("name", [FIRST, SECOND])
def test_opcheck(name: str) -> None:
    query, key, value = (torch.randn(5, 4, 32) for _ in range(3))
    call = (query, key, value), keywords(name, [2, 5], [2, 5], 4, 4, lse=True)
    checked(name, call)
    checked(f"_{name}_get_max_workspace", call)
    given = {"attention_out": torch.zeros(5, 4, 32), "softmax_lse": torch.zeros(5, 4, 1)}
    # torch traces no operator whose schema returns an argument.
    checked(f"{name}.out", (call[0], call[1] | given), without=("test_aot_dispatch_dynamic",))


@pytest.mark.parametrize("name", [FIRST, SECOND])
@pytest.mark.parametrize(
    ("change", "demand"),
    [
        ({"input_layout": "BNSD"}, "does not support input_layout BNSD without a block_table"),
        ({"input_layout": "NTD"}, "does not support input_layout NTD"),
    ],
)
def test_what_has_no_reference_is_named(name: str, change: dict[str, Any], demand: str) -> None:
    query, key, value = (torch.randn(5, 4, 32) for _ in range(3))
    with pytest.raises(NotImplementedError, match=demand):
        run(name, query, key, value, **keywords(name, [5], [5], 4, 4) | change)


def test_strided_inputs_are_tolerated_unless_strict(monkeypatch: pytest.MonkeyPatch) -> None:
    both = torch.randn(5, 4, 64)
    arguments = both[..., :32], both[..., 32:], both[..., 32:]
    run(FIRST, *arguments, **keywords(FIRST, [5], [5], 4, 4))
    monkeypatch.setenv(variable("strict"), "1")
    with pytest.raises(ConstraintError, match="query must be contiguous"):
        run(FIRST, *arguments, **keywords(FIRST, [5], [5], 4, 4))
