"""``npu_fused_infer_attention_score_v2``: more of packed queries, and sinks."""

from torch_npu_sim.strictness.attention_versions import SECOND
from torch_npu_sim.strictness.conditions import Given, Is, Not, OfSize
from torch_npu_sim.strictness.demands import Dtypes, Ranks, Sizes
from torch_npu_sim.strictness.demands_of_values import Excluded, Length, Multiple, SizeIs, Values
from torch_npu_sim.strictness.row import Row

_SECOND = SECOND.operators

_ROTATED = Given("query_rope")

_PAGED = Given("block_table")

_PACKED = Is("input_layout", "TND", "TND_NTD", "NTD_TND")

_LATENT = OfSize("query", -1, 512)

_QUANTISED = (
    *("dequant_scale_query", "dequant_scale_key", "dequant_scale_value"),
    *("dequant_offset_key", "dequant_offset_value", "quant_scale_out", "quant_offset_out"),
)

_PACKED_OF_SECOND = (
    Row(
        _SECOND,
        "what packed queries go without",
        Excluded(("pse_shift", *_QUANTISED)),
        "TND(不支持tensorlist、pse、page attention、伪量化、全量化、后量化, 综合约束请见约束说明)",
        # Latents are packed over a paged cache; so are other queries by the section on page attention.
        when=(Is("input_layout", "TND"), Not(_LATENT)),
    ),
    Row(
        _SECOND,
        "what queries that are packed by heads go without",
        Excluded(("pse_shift", *_QUANTISED)),
        "不支持左padding、tensorlist、pse、prefix、伪量化、全量化、后量化、空Tensor；",
        when=(_PACKED, Not(_LATENT)),
    ),
    Row(
        _SECOND,
        "size of queries that are packed by heads",
        Sizes(("query",), -1, among=(128, 192)),
        "NTD_TND场景，要求Q_D、K_D等于128/192，V_D等于128。",
        when=(Is("input_layout", "NTD_TND"), Not(_LATENT), Not(_ROTATED)),
    ),
    Row(
        _SECOND,
        "size of values beside queries that are packed by heads",
        Sizes(("value",), -1, among=(128,)),
        "NTD_TND场景，要求Q_D、K_D等于128/192，V_D等于128。",
        when=(Is("input_layout", "NTD_TND"), Not(_LATENT), Not(_ROTATED), Not(_PAGED)),
    ),
    Row(
        _SECOND,
        "packed heads for each of the key",
        Multiple("num_query_heads", "num_key_value_heads", most=64),
        "Q_N、K_N、V_N：需要满足K_N、V_N相等，Q_N整除K_N，Q_N与K_N的比值不能大于64；",
        when=(_PACKED, Not(_LATENT)),
    ),
    Row(
        _SECOND,
        "packed sequences of queries",
        Length("actual_seq_qlen", most=4096),
        "actual_seq_qlen和actual_seq_kvlen的元素个数不大于4096。",
        when=(_PACKED, Not(_LATENT)),
    ),
    Row(
        _SECOND,
        "packed sequences of keys",
        Length("actual_seq_kvlen", most=4096),
        "actual_seq_qlen和actual_seq_kvlen的元素个数不大于4096。",
        when=(_PACKED, Not(_LATENT)),
    ),
)

_SINK = Given("learnable_sink")

_SHAPE_OF_SINKS = "learnable_sink: Tensor类型, 数据类型支持bfloat16, 数据格式支持ND, shape输入为(Q_N,)"

_SINKS = (
    Row(_SECOND, "dtype of sinks", Dtypes(("learnable_sink",), ("bfloat16",)), _SHAPE_OF_SINKS),
    Row(_SECOND, "dimensions of sinks", Ranks(("learnable_sink",), 1, 1), _SHAPE_OF_SINKS),
    Row(_SECOND, "a sink for each head", SizeIs("learnable_sink", 0, "num_query_heads"), _SHAPE_OF_SINKS),
    Row(
        _SECOND,
        "layouts beside sinks",
        Values(("input_layout",), among=("TND", "NTD_TND")),
        "仅支持TND、NTD\\_TND；",
        when=(_SINK,),
    ),
    Row(
        _SECOND,
        "size of values beside sinks",
        Sizes(("value",), -1, most=128),
        "仅支持value的d小于等于128；",
        when=(_SINK, Not(_PAGED)),
    ),
)

ROWS = (
    *_PACKED_OF_SECOND,
    *_SINKS,
)
