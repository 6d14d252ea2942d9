"""``npu_fused_infer_attention_score`` and ``_v2`` with packed queries (TND): the layout has bounds of its own."""

from torch_npu_sim.strictness.conditions import Given, Is, Not, OfSize
from torch_npu_sim.strictness.demands import Dtypes, Ranks, Sizes
from torch_npu_sim.strictness.demands_of_values import (
    Demanded,
    Excluded,
    Rising,
    SizeIs,
    Total,
    Unchecked,
    Values,
)
from torch_npu_sim.strictness.row import Row

_FIRST = ("npu_fused_infer_attention_score",)
_SECOND = ("npu_fused_infer_attention_score_v2",)
_BOTH = (*_FIRST, *_SECOND)

_TND = Is("input_layout", "TND")
_LATENT = OfSize("query", -1, 512)
_PAGED = Given("block_table")

_OF_FIRST = (
    Row(
        _FIRST,
        "dtype of packed inputs",
        Dtypes(("query", "key", "value"), ("bfloat16",)),
        "数据类型仅支持BFLOAT16;",
        when=(_TND,),
    ),
    Row(
        _FIRST,
        "size of packed heads",
        Sizes(("query",), -1, among=(192,)),
        "Q_D、K_D等于192, V_D等于128/192;",
        when=(_TND,),
    ),
    Row(
        _FIRST,
        "size of packed heads of keys",
        Sizes(("key",), -1, among=(192,)),
        "Q_D、K_D等于192, V_D等于128/192;",
        when=(_TND, Not(_PAGED)),
    ),
    Row(
        _FIRST,
        "size of packed heads of values",
        Sizes(("value",), -1, among=(128, 192)),
        "Q_D、K_D等于192, V_D等于128/192;",
        when=(_TND, Not(_PAGED)),
    ),
    Row(
        _FIRST,
        "number of packed heads",
        Values(("num_heads",), among=(8, 16, 32, 64, 128)),
        "N等于8/16/32/64/128, 且Q_N、K_N、V_N相等;",
        when=(_TND,),
    ),
    Row(
        _FIRST,
        "as many packed heads of keys",
        SizeIs("query", 1, "num_key_value_heads"),
        "N等于8/16/32/64/128, 且Q_N、K_N、V_N相等;",
        when=(_TND, Not(Is("num_key_value_heads", 0))),
    ),
    Row(_FIRST, "packed tokens", Sizes(("query",), 0, most=65536), "T小于等于65536;", when=(_TND,)),
    Row(
        _FIRST,
        "masks of packed queries",
        Values(("sparse_mode",), among=(0, 3, 4)),
        "sparse模式仅支持sparse=0且不传mask, 或sparse=3且传入mask;",
        when=(_TND,),
    ),
    Row(
        _FIRST,
        "no mask with packed queries that see all",
        Excluded(("atten_mask",)),
        "sparse模式仅支持sparse=0且不传mask, 或sparse=3且传入mask;",
        when=(_TND, Is("sparse_mode", 0)),
    ),
    Row(
        _FIRST,
        "more keys than packed queries under a mask",
        Unchecked("the simulated operator refuses more queries than keys; a prompt has as many, and is sent so"),
        "当sparse=3时, 要求每个batch单独的actual_seq_lengths < actual_seq_lengths_kv.",
        when=(_TND,),
    ),
    Row(
        _FIRST,
        "packed queries without a paged cache",
        Excluded(("block_table",)),
        "TND(不支持左padding、tensorlist、pse、page attention、prefix、伪量化、全量化、后量化, 综合约束请见约束说明)",
        when=(_TND,),
    ),
    Row(
        _FIRST,
        "what packed queries go without",
        Excluded(
            (
                *("query_padding_size", "kv_padding_size", "pse_shift", "key_shared_prefix", "value_shared_prefix"),
                *("antiquant_scale", "dequant_scale1", "quant_scale1", "dequant_scale2", "quant_scale2"),
            )
        ),
        "TND(不支持左padding、tensorlist、pse、page attention、prefix、伪量化、全量化、后量化, 综合约束请见约束说明)",
        when=(_TND,),
    ),
    Row(
        _FIRST,
        "ends of packed queries",
        Demanded(("actual_seq_lengths", "actual_seq_lengths_kv")),
        "当query的input_layout为TND时, 该入参必须传入, 且以该入参元素的数量作为Batch值.",
        when=(_TND,),
    ),
    Row(
        _FIRST,
        "ends of packed queries do not fall",
        Rising("actual_seq_lengths"),
        "该入参中每个元素的值表示当前Batch与之前所有Batch的seqlen和, 因此后一个元素的值必须大于等于前一个元素的值, 且不能出现负值.",
        when=(_TND,),
    ),
    Row(
        _FIRST,
        "the last packed query ends with the tokens",
        Total("actual_seq_lengths", "query", 0, sums=True),
        "T表示所有Batch输入样本序列长度的累加和",
        when=(_TND,),
    ),
    Row(
        _FIRST,
        "ends of packed keys do not fall",
        Rising("actual_seq_lengths_kv"),
        "该入参中每个元素的值表示当前Batch与之前所有Batch的seqlenKv和, 因此后一个元素的值必须大于等于前一个元素的值, 且不能出现负值.",
        when=(_TND, Not(_PAGED)),
    ),
)

_OF_SECOND = (
    Row(
        _SECOND,
        "dtype of packed inputs",
        Dtypes(("query", "key", "value"), ("bfloat16",)),
        "数据类型仅支持BFLOAT16；",
        when=(_TND, Not(_LATENT)),
    ),
    Row(
        _SECOND,
        "size of packed heads",
        Sizes(("query",), -1, among=(128, 192)),
        "TND场景，要求Q_D、K_D、V_D等于128，或者Q_D、K_D等于192，V_D等于128/192",
        when=(_TND, Not(_LATENT), Not(Given("query_rope"))),
    ),
    Row(
        _SECOND,
        "size of packed heads beside rotated parts",
        Sizes(("query", "key", "value"), -1, among=(128,)),
        "当query_rope和key_rope不为空时，要求Q_D、K_D、V_D等于128；",
        when=(_TND, Not(_LATENT), Given("query_rope")),
    ),
    Row(
        _SECOND,
        "size of heads beside rotated parts",
        Sizes(("query",), -1, among=(512, 128)),
        "query的d只支持512、128；",
        when=(Given("query_rope"), Not(Is("input_layout", "BSH", "BSH_NBSD"))),
    ),
    Row(
        _SECOND,
        "no cache beside rotated parts of packed heads",
        Excluded(("block_table", "pse_shift", "dequant_scale_query", "dequant_scale_key", "quant_scale_out")),
        "不支持左padding、tensorlist、pse、page attention、prefix、伪量化、全量化、后量化、空Tensor。",
        when=(Given("query_rope"), OfSize("query", -1, 128)),
    ),
    Row(
        _SECOND,
        "heads of latents",
        Values(("num_query_heads",), among=(1, 2, 4, 8, 16, 32, 64, 128)),
        "要求query的n为1/2/4/8/16/32/64/128，key、value的n为1；",
        when=(_TND, _LATENT),
    ),
    Row(
        _SECOND,
        "one head of keys of latents",
        Values(("num_key_value_heads",), among=(1,)),
        "要求query的n为1/2/4/8/16/32/64/128，key、value的n为1；",
        when=(_TND, _LATENT),
    ),
    Row(
        _SECOND,
        "rotated parts beside latents",
        Demanded(("query_rope", "key_rope")),
        "要求query_rope和keyRope不等于空，query_rope和keyRope的d为64；",
        when=(_TND, _LATENT),
    ),
    Row(_SECOND, "packed tokens", Sizes(("query",), 0, most=1 << 20), "T小于等于1M;", when=(_TND,)),
    Row(
        _SECOND,
        "masks of packed queries",
        Values(("sparse_mode",), among=(0, 3, 4)),
        "sparse模式仅支持sparse=0且不传mask，或sparse=3且传入mask；",
        when=(_TND,),
    ),
    Row(
        _SECOND,
        "no mask with packed queries that see all",
        Excluded(("atten_mask",)),
        "sparse模式仅支持sparse=0且不传mask，或sparse=3且传入mask；",
        when=(_TND, Is("sparse_mode", 0)),
    ),
    Row(
        _SECOND,
        "more keys than packed queries under a mask",
        Unchecked("the simulated operator refuses more queries than keys; a prompt has as many, and is sent so"),
        "当sparse=3时，要求每个batch单独的actual_seq_qlen<actual_seq_kvlen；",
        when=(_TND,),
    ),
    Row(
        _SECOND,
        "ends of packed sequences",
        Demanded(("actual_seq_qlen", "actual_seq_kvlen")),
        "actual_seq_qlen和actual_seq_kvlen必须传入，且以该入参元素的数量作为Batch值。",
        when=(_TND,),
    ),
    Row(
        _SECOND,
        "ends of packed queries do not fall",
        Rising("actual_seq_qlen"),
        "该入参中每个元素的值表示当前Batch与之前所有Batch的Sequence Length和，因此后一个元素的值必须大于等于前一个元素的值；",
        when=(_TND,),
    ),
    Row(
        _SECOND,
        "ends of packed keys do not fall",
        Rising("actual_seq_kvlen"),
        "该入参中每个元素的值表示当前Batch与之前所有Batch的Sequence Length和，因此后一个元素的值必须大于等于前一个元素的值；",
        when=(_TND, Not(_PAGED)),
    ),
)

_SHAPES = (
    Row(
        _BOTH,
        "dimensions of packed queries",
        Ranks(("query",), 3, 3),
        "T表示所有Batch输入样本序列长度的累加和",
        when=(_TND,),
    ),
)

ROWS = (*_SHAPES, *_OF_FIRST, *_OF_SECOND)
