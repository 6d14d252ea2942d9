"""Operators have torch_npu's real schemas, are counted, and fail as the documentation demands."""

from __future__ import annotations

import pytest
import torch
from ascend_backend.attention.kv_cache_layout import without_padding
from ascend_backend.ops import attention, kv_cache, norm
from torch_npu_sim.constraints import ConstraintError
from torch_npu_sim.operators import calls

from tests.backend.lane.samples import samples

pytestmark = pytest.mark.usefixtures("without_rows")


def test_schemas_are_those_of_the_wheel() -> None:
    schema = torch.ops.npu.npu_swiglu.default._schema
    assert str(schema) == "npu::npu_swiglu(Tensor self, int dim=-1) -> Tensor"


def test_a_keyword_that_the_schema_lacks_is_refused() -> None:
    import torch_npu

    with pytest.raises(RuntimeError, match="npu_rms_norm"):
        torch_npu.npu_rms_norm(torch.ones(2, 16), torch.ones(16), eps=1e-6)


def test_an_operator_without_a_reference_names_itself() -> None:
    import torch_npu

    with pytest.raises(NotImplementedError, match="no reference implementation of npu_gemma_rms_norm"):
        torch_npu.npu_gemma_rms_norm(torch.ones(2, 16), torch.ones(16))


def test_an_operator_that_torch_npu_lacks_does_not_exist() -> None:
    import torch_npu

    with pytest.raises(AttributeError, match="npu_no_such_operator"):
        _ = torch_npu.npu_no_such_operator


def test_calls_are_counted_by_operator() -> None:
    calls.clear()
    x, weight = torch.ones(2, 16), torch.ones(16)
    norm.rms_norm(x, weight, 1e-6)
    norm.rms_norm(x, weight, 1e-6)
    norm.add_rms_norm(x, x, weight, 1e-6)
    assert calls == {"npu_rms_norm": 2, "npu_add_rms_norm": 1}


def test_dtypes_that_the_operator_does_not_take() -> None:
    with pytest.raises(ConstraintError, match=r"npu_rms_norm: x is torch\.float64, supported are float16"):
        norm.rms_norm(torch.ones(2, 16, dtype=torch.float64), torch.ones(16), 1e-6)


def caches(block_size: int = 128, heads: int = 2, size: int = 32) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.zeros(4, block_size, heads, size), torch.zeros(4, block_size, heads, size)


def attend(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, **changes: object) -> torch.Tensor:
    arguments: dict[str, object] = {
        "query_ends": [len(query)],
        "context_lengths": [len(query)],
        "block_table": torch.tensor([[1, 2]], dtype=torch.int32),
        "num_kv_heads": 2,
        "scale": 0.1,
        "causal": True,
    }
    return attention.paged_attention(query, key, value, **(arguments | changes))  # type: ignore[arg-type]


def test_float32_only_where_it_stands_in_for_half(monkeypatch: pytest.MonkeyPatch) -> None:
    query = torch.zeros(3, 4, 32)
    assert attend(query, *caches()).shape == (3, 4, 32)
    monkeypatch.delenv("TORCH_NPU_SIM_FLOAT32")
    with pytest.raises(ConstraintError, match=r"query is torch\.float32, supported are float16, bfloat16"):
        attend(query, *caches())


@pytest.mark.parametrize(
    ("query", "keys", "changes", "demand"),
    [
        (torch.zeros(3, 4, 32), caches(block_size=64), {}, "block_size 64 is not supported"),
        (torch.zeros(3, 4, 24), caches(size=24), {}, "D must be a multiple of 16"),
        (torch.zeros(3, 3, 32), caches(), {}, "num_heads must be a multiple of the kv heads"),
        (torch.zeros(3, 4, 32), caches(), {"context_lengths": [300]}, "at least 3 columns"),
        (torch.zeros(3, 4, 32), caches(), {"query_ends": [3, 2]}, "must not decrease"),
        (
            torch.zeros(3, 4, 32),
            caches(),
            {"block_table": torch.tensor([[1, 2]])},
            "block_table is torch.int64, supported are int32",
        ),
    ],
)
def test_what_the_attention_operator_documents(
    query: torch.Tensor, keys: tuple[torch.Tensor, torch.Tensor], changes: dict[str, object], demand: str
) -> None:
    with pytest.raises(ConstraintError, match=demand):
        attend(query, *keys, **changes)


@pytest.mark.parametrize(
    ("changes", "error", "demand"),
    [
        ({"pre_tokens": -1}, ConstraintError, "pre_tokens must not be negative, got -1"),
        ({"actual_seq_lengths_kv": [140, 4]}, ConstraintError, "must have a key for each query"),
        ({"atten_mask": None}, ConstraintError, "sparse_mode 4 demands a 2048 x 2048 atten_mask"),
        ({"next_tokens": 1}, NotImplementedError, "supports next_tokens 0 alone"),
    ],
)
def test_what_a_sliding_window_documents(
    changes: dict[str, object], error: type[Exception], demand: str
) -> None:
    arguments, keywords = samples()["npu_fused_infer_attention_score"][0]
    band = keywords | {"sparse_mode": 4, "pre_tokens": 2, "next_tokens": 0}
    with pytest.raises(error, match=demand):
        torch.ops.npu.npu_fused_infer_attention_score(*arguments, **band | changes)


def test_latent_attention_takes_sixteen_query_tokens_at_most() -> None:
    tokens = 17
    with pytest.raises(ConstraintError, match="at most 16 query tokens, got 17"):
        attention.paged_latent_attention(
            torch.zeros(tokens, 4, 512),
            torch.zeros(tokens, 4, 64),
            torch.zeros(2, 128, 1, 512),
            torch.zeros(2, 128, 1, 64),
            query_ends=[tokens],
            context_lengths=[tokens],
            block_table=torch.tensor([[0]], dtype=torch.int32),
            scale=1.0,
        )


@pytest.mark.parametrize(
    ("slots", "demand"),
    [
        ([3, -1], r"slots must lie in \[0, 511\]"),
        ([3, 512], "slots must lie in"),
        ([3, 3], "must not repeat"),
        ([*range(128), 3, 200, 200], "must not repeat"),
    ],
)
def test_slots_lie_in_the_cache_and_do_not_repeat(slots: list[int], demand: str) -> None:
    tokens = torch.ones(len(slots), 2, 32)
    with pytest.raises(ConstraintError, match=demand):
        kv_cache.reshape_and_cache(tokens, tokens, *caches(), torch.tensor(slots))


def test_more_padding_than_a_block_has_slots_leaves_the_other_blocks_alone() -> None:
    tokens = torch.randn(303, 2, 32)
    keys, values = caches()
    real = torch.tensor([130, 300, 511])
    slots = torch.cat((real, torch.full((300,), -1)))
    kv_cache.reshape_and_cache(tokens, tokens + 1, keys, values, without_padding(slots, 128))
    for cache, content in ((keys, tokens), (values, tokens + 1)):
        stored = cache.view(-1, 2, 32)
        torch.testing.assert_close(stored[real], content[:3])
        left = torch.ones(512, dtype=torch.bool).index_fill_(
            0, torch.cat((real, torch.arange(128))), value=False
        )
        assert not stored[left].any()


def test_caches_must_be_contiguous() -> None:
    both = torch.zeros(4, 128, 2, 64)
    tokens = torch.ones(2, 2, 32)
    with pytest.raises(ConstraintError, match="key_cache must be contiguous"):
        kv_cache.reshape_and_cache(tokens, tokens, both[..., :32], both[..., 32:], torch.tensor([0, 1]))


@pytest.mark.parametrize(
    ("operator", "change", "demand"),
    [
        ("npu_swiglu", {0: torch.ones(3, 7)}, "dimension 0 must be even, got 3"),
        ("npu_rms_norm", {0: torch.ones(8)}, "x must have 2 to 8 dimensions, got 1"),
        ("npu_rms_norm", {1: torch.ones(7)}, "gamma must have the shape of x's last dimensions"),
        ("npu_add_rms_norm", {1: torch.ones(3, 8).half()}, "dtypes must agree"),
        ("npu_rotary_mul", {0: torch.ones(1, 7, 1000, 32)}, "B and N must be below 1000"),
        ("npu_rotary_mul", {1: torch.ones(1, 7, 2, 32), 2: torch.ones(1, 7, 2, 32)}, "r1 must be 1S1D"),
        ("npu_rotary_mul", {3: "quarter"}, "rotary_mode must be"),
        ("npu_scatter_pa_kv_cache", {3: torch.zeros(5, 128, 2, 16)}, "the caches must have the same blocks"),
        ("npu_scatter_pa_kv_cache", {4: torch.tensor([0.0, 1, 2])}, "slot_mapping is torch.float32"),
        ("npu_fused_infer_attention_score", {"num_heads": 8}, "query has 4 heads, num_heads is 8"),
        ("npu_fused_infer_attention_score", {"sparse_mode": 3}, "demands a 2048 x 2048 atten_mask"),
        (
            "npu_fused_infer_attention_score",
            {"block_table": torch.tensor([[9, 0], [1, 3]], dtype=torch.int32)},
            "block_table must hold blocks in",
        ),
        ("npu_fused_infer_attention_score_v2", {"query_rope": None}, "query_rope and key_rope go together"),
        (
            "npu_fused_infer_attention_score_v2",
            {"atten_mask": None, "sparse_mode": 0},
            "sparse_mode is 3 with a mask",
        ),
        ("npu_fusion_attention", {"actual_seq_kvlen": [9]}, "must be of as many sequences"),
        ("npu_moe_gating_top_k", {"group_count": 4}, "a group must have more than 2 experts, got 2"),
        ("npu_moe_gating_top_k", {0: torch.ones(3, 2048 + 2)}, "at most 2048 experts"),
        ("npu_moe_gating_top_k", {1: 5}, "k must not exceed the experts of the chosen groups"),
        (
            "npu_moe_init_routing_v2",
            {"expert_num": 3, "active_expert_range": [0, 3]},
            "expert_idx must lie in",
        ),
        ("npu_moe_init_routing_v2", {"expert_tokens_num_flag": False}, "expert_tokens_num_flag must be True"),
        ("npu_grouped_matmul", {"group_list": torch.tensor([2, 1, 0, 4])}, "groups must lie within x"),
        ("npu_grouped_matmul", {1: [torch.ones(4, 16, 5)[:, ::2]]}, "weight must be contiguous"),
        ("npu_moe_token_unpermute", {1: torch.zeros(6, dtype=torch.int32)}, "must not repeat"),
        ("npu_moe_token_unpermute", {1: torch.arange(6)}, "sorted_indices is torch.int64"),
        ("npu_moe_token_unpermute", {"padded_mode": True}, "padded_mode must be False"),
        ("npu_attention_update", {0: [torch.zeros(12), torch.zeros(11)]}, "the same of all parts"),
        ("npu_attention_update", {0: [torch.zeros(12).half()] * 2}, r"lse\[0\] is torch.float16"),
        (
            "npu_gather_pa_kv_cache",
            {3: torch.tensor([130, 6], dtype=torch.int32)},
            "name 136 tokens, key has 135",
        ),
        ("npu_gather_pa_kv_cache", {3: torch.tensor([130, 5])}, "seq_lens is torch.int64"),
        ("npu_gather_pa_kv_cache", {2: torch.tensor([[2], [1]], dtype=torch.int32)}, "at least 2 columns"),
        ("npu_gather_pa_kv_cache", {0: torch.zeros(4, 256, 1, 512)[:, ::2]}, "key_cache must be contiguous"),
        ("npu_chunk_gated_delta_rule", {"g": torch.zeros(4, 4).bfloat16()}, "g is torch.bfloat16"),
        ("npu_chunk_gated_delta_rule", {"g": torch.zeros(4, 2)}, r"g must be \[tokens, Nv\]"),
        ("npu_chunk_gated_delta_rule", {"scale": None}, "actual_seq_lengths and scale must be given"),
        (
            "npu_chunk_gated_delta_rule",
            {"actual_seq_lengths": torch.tensor([3, 2], dtype=torch.int32)},
            "must sum up to the tokens",
        ),
        (
            "npu_chunk_gated_delta_rule",
            {
                **{place: torch.zeros(4, heads, 64).bfloat16() for place, heads in enumerate((2, 2, 4))},
                "initial_state": torch.zeros(2, 4, 64, 64).bfloat16(),
            },
            "Dk and Dv must be 128",
        ),
        ("npu_recurrent_gated_delta_rule", {3: torch.zeros(5, 4, 128, 64).bfloat16()}, "the state must be"),
        ("npu_recurrent_gated_delta_rule", {2: torch.zeros(3, 3, 128).bfloat16()}, "a multiple of Nk"),
        (
            "npu_recurrent_gated_delta_rule",
            {"ssm_state_indices": torch.tensor([1, 2, 5], dtype=torch.int32)},
            r"ssm_state_indices must lie in \[0, 4\]",
        ),
    ],
)
def test_documented_constraints(operator: str, change: dict[int | str, object], demand: str) -> None:
    arguments, keywords = samples()[operator][-1]
    given = [change.get(place, value) for place, value in enumerate(arguments)]
    named = keywords | {name: value for name, value in change.items() if isinstance(name, str)}
    with pytest.raises(ConstraintError, match=demand):
        getattr(torch.ops.npu, operator)(*given, **named)


def test_one_query_token_a_request_is_latent_attention_without_a_mask() -> None:
    (arguments, keywords), *_, (_, several) = samples()["npu_fused_infer_attention_score_v2"]
    masked = keywords | {"atten_mask": several["atten_mask"], "sparse_mode": 3}
    with pytest.raises(ConstraintError, match="sparse_mode is 0 without a mask"):
        torch.ops.npu.npu_fused_infer_attention_score_v2(*arguments, **masked)


@pytest.mark.parametrize(
    ("change", "demand"),
    [
        ({0: torch.zeros(6, 4, 256)}, "D is 128 without page attention"),
        ({1: torch.zeros(9, 2, 256)[..., ::2]}, "key must be contiguous"),
        ({"key_rope": torch.zeros(9, 2, 32)}, "64 wide"),
        ({"num_key_value_heads": 1}, "key has 2 heads, num_key_value_heads is 1"),
        ({"actual_seq_kvlen": [9, 9]}, "no sequence may be empty"),
        ({"actual_seq_kvlen": [3, 9]}, "a key for each query"),
    ],
)
def test_what_attention_with_rotated_parts_documents(change: dict[int | str, object], demand: str) -> None:
    arguments, keywords = samples()["npu_fused_infer_attention_score_v2"][1]
    given = [change.get(place, value) for place, value in enumerate(arguments)]
    named = keywords | {name: value for name, value in change.items() if isinstance(name, str)}
    with pytest.raises(ConstraintError, match=demand):
        torch.ops.npu.npu_fused_infer_attention_score_v2(*given, **named)


def test_the_delta_rule_of_tokens_takes_sequences_of_eight_at_most() -> None:
    arguments, keywords = samples()["npu_recurrent_gated_delta_rule"][0]
    longer = [part[:1].expand(9, *part.shape[1:]).contiguous() for part in arguments[:3]]
    changed = {name: keywords[name][:1].expand(9, 4) for name in ("beta", "g")}
    changed["ssm_state_indices"] = torch.zeros(9, dtype=torch.int32)
    changed["actual_seq_lengths"] = torch.tensor([9], dtype=torch.int32)
    with pytest.raises(ConstraintError, match="at most 8 tokens"):
        torch.ops.npu.npu_recurrent_gated_delta_rule(*longer, arguments[3], **(keywords | changed))
