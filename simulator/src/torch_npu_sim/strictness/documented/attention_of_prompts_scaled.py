"""``npu_prompt_flash_attention``: shifts, packed queries and scales."""

from torch_npu_sim.strictness.conditions import Given, Is, Not, OfDtype, OfSize
from torch_npu_sim.strictness.demands import Contiguous, Dtypes, Elements, Ranks, SameDtype, SameShape, SizeOrOne, Sizes
from torch_npu_sim.strictness.demands_by_layout import Axis, OneOrAll, Reaches
from torch_npu_sim.strictness.demands_of_values import Demanded, Excluded, SizeIs, Unchecked, Values
from torch_npu_sim.strictness.row import Row

_OPERATOR = ("npu_prompt_flash_attention",)

_HALF = ("float16", "bfloat16")

_TND = Is("input_layout", "TND")

_ALL_INT8 = (OfDtype("query", "int8"), OfDtype("key", "int8"), OfDtype("value", "int8"))

_SHIFT = "pse_shift: Tensor类型, 可选参数. 不支持非连续的Tensor, 数据格式支持ND. 输入shape类型需为(B, N, Q_S, KV_S)或(1, N, Q_S, KV_S)"

_AT_LEAST = "Q_S需大于等于query的S长度, KV_S需大于等于key的S长度."

_OFFSET = "quant_offset2: Tensor类型, 数据格式支持ND, 表示输出的量化偏移, 支持per-tensor、per-channel. 若传入quant_offset2, 需保证其类型和shape信息与 quant_scale2一致."

_SHIFTS = (
    Row(_OPERATOR, "contiguous shift", Contiguous(("pse_shift",)), _SHIFT),
    Row(_OPERATOR, "dimensions of the shift", Ranks(("pse_shift",), 4, 4), _SHIFT),
    Row(
        _OPERATOR,
        "a shift for each of a batch",
        SizeOrOne("pse_shift", 0, "query", 0),
        _SHIFT,
        when=(Given("pse_shift"), Not(_TND)),
    ),
    Row(
        _OPERATOR,
        "a shift for each head",
        SizeIs("pse_shift", 1, "num_heads"),
        _SHIFT,
        when=(Given("pse_shift"), Not(_TND)),
    ),
    Row(
        _OPERATOR,
        "queries of a shift in bfloat16",
        Dtypes(("query",), ("bfloat16",)),
        "当pse_shift为bfloat16时, 要求query为bfloat16.",
        when=(OfDtype("pse_shift", "bfloat16"),),
    ),
    Row(_OPERATOR, "a shift for each query", Reaches("pse_shift", -2, "query", "S"), _AT_LEAST),
    Row(_OPERATOR, "a shift for each key", Reaches("pse_shift", -1, "key", "S"), _AT_LEAST),
)

_PACKED = (
    Row(_OPERATOR, "packed tokens", Sizes(("query",), 0, most=65536), "T小于等于65536;", when=(_TND,)),
    Row(
        _OPERATOR,
        "number of packed heads",
        Values(("num_heads",), among=(8, 16, 32, 64, 128)),
        "N等于8/16/32/64/128, 且Q_N、K_N、V_N相等;",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "size of packed heads",
        Sizes(("query", "key"), -1, among=(192,)),
        "Q_D、K_D等于192, V_D等于128/192;",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "size of packed heads of values",
        Sizes(("value",), -1, among=(128, 192)),
        "Q_D、K_D等于192, V_D等于128/192;",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "dtype of packed inputs",
        Dtypes(("query", "key", "value"), ("bfloat16",)),
        "数据类型仅支持BFLOAT16;",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "masks of packed queries",
        Values(("sparse_mode",), among=(0, 3)),
        "sparse模式仅支持sparse=0且不传mask, 或sparse=3且传入mask;",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "no mask with packed queries that see all",
        Excluded(("atten_mask",)),
        "sparse模式仅支持sparse=0且不传mask, 或sparse=3且传入mask;",
        when=(_TND, Is("sparse_mode", 0)),
    ),
    Row(
        _OPERATOR,
        "more keys than packed queries under a mask",
        Unchecked("the reference refuses packed queries"),
        "当sparse=3时, 要求每个batch单独的actualSeqLengths < actualSeqLengthsKv.",
        when=(_TND,),
    ),
)

_QUANTISED = (
    Row(
        _OPERATOR,
        "scales of queries, keys and values of int8",
        Demanded(("deq_scale1", "quant_scale1", "deq_scale2")),
        "输入为int8, 输出为int8的场景: 入参deq_scale1、quant_scale1、deq_scale2、quant_scale2需要同时存在, quant_offset2可选, 不传时默认为0.",
        when=_ALL_INT8,
    ),
    Row(
        _OPERATOR,
        "no offset of results of float16",
        Excluded(("quant_offset2",)),
        "输入为int8, 输出为float16的场景: 入参deq_scale1、quant_scale1、deq_scale2需要同时存在, 若存在入参quant_offset2或quant_scale2(即不为None), 则报错并返回.",
        when=(*_ALL_INT8, Not(Given("quant_scale2"))),
    ),
    Row(
        _OPERATOR,
        "no scales of products of other queries",
        Excluded(("deq_scale1", "quant_scale1", "deq_scale2")),
        "若存在入参deq_scale1或quant_scale1或deq_scale2(即不为None), 则报错并返回.",
        when=(OfDtype("query", *_HALF), Given("quant_scale2")),
    ),
    Row(
        _OPERATOR,
        "scales of results of heads",
        OneOrAll("quant_scale2", "query", "NDH"),
        "其他layout要求乘积等于N*D(建议输出layout为BSH时",
        when=(Not(Is("input_layout", "BSH")),),
    ),
    Row(
        _OPERATOR,
        "scales of results without heads of their own",
        OneOrAll("quant_scale2", "query", "H"),
        "入参quant_offset2和quant_scale2支持per-tensor/per-channel两种格式和float32/bfloat16两种数据类型. 若传入quant_offset2, 需保证其类型和shape信息与quant_scale2一致. 当输入为bfloat16时, 同时支持float32和bfloat16, 否则仅支持float32. per-channel格式, 当输出layout为BSH时, 要求quant_scale2所有维度的乘积等于H;",
        when=(Is("input_layout", "BSH"),),
    ),
    Row(_OPERATOR, "one dtype of scale and offset of results", SameDtype(("quant_scale2", "quant_offset2")), _OFFSET),
    Row(_OPERATOR, "one shape of scale and offset of results", SameShape(("quant_scale2", "quant_offset2")), _OFFSET),
    Row(
        _OPERATOR,
        "size of heads beside scales of channels",
        Axis("query", "D", multiple=16),
        "per-channel格式, 入参quant_scale2和quant_offset2暂不支持左padding、Ring Attention或者D非32Byte对齐的场景.",
        when=(Given("quant_scale2"), Not(OfSize("quant_scale2", -1, 1)), OfDtype("query", *_HALF)),
    ),
    Row(
        _OPERATOR,
        "a band of results of int8",
        Values(("pre_tokens", "next_tokens"), least=0),
        "输出为int8时, 暂不支持sparse为band且pre_tokens/next_tokens为负数.",
        when=(Given("quant_scale2"), Is("sparse_mode", 4)),
    ),
    Row(
        _OPERATOR,
        "every row of results with an offset counts under a mask",
        Values(("next_tokens",), least=0),
        "sparseMode=0, atten_mask如果非None, 每个batch actual_seq_lengths-actual_seq_lengths_kv-pre_tokens>0或nextTokens<0时, 满足拦截条件.",
        when=(Given("quant_offset2"), Given("quant_scale2"), Given("atten_mask"), Is("sparse_mode", 0)),
    ),
    Row(
        _OPERATOR,
        "every row of results with an offset counts in a band",
        Values(("pre_tokens",), least=0),
        "sparseMode= 4, preTokens<0或每个batch next_tokens+actual_seq_lengths_kv-actual_seq_lengths<0时, 满足拦截条件.",
        when=(Given("quant_offset2"), Given("quant_scale2"), Is("sparse_mode", 4)),
    ),
    Row(
        _OPERATOR,
        "dtype of the scale of the first product",
        Dtypes(("deq_scale1",), ("uint64", "float32")),
        "deq_scale1: Tensor类型, 表示BMM1后面的反量化因子, 支持per-tensor. 数据类型支持uint64、float32",
    ),
    Row(
        _OPERATOR,
        "dtype of the scale of what is multiplied by values",
        Dtypes(("quant_scale1",), ("float32",)),
        "quant_scale1: Tensor类型, 数据类型支持float32. 数据格式支持ND, 表示BMM2前面的量化因子, 支持per-tensor.",
    ),
    Row(
        _OPERATOR,
        "dtype of the scale of the second product",
        Dtypes(("deq_scale2",), ("uint64", "float32")),
        "deq_scale2: Tensor类型, 数据类型支持uint64、float32. 数据格式支持ND, 表示BMM2后面的反量化因子, 支持per-tensor.",
    ),
    Row(
        _OPERATOR,
        "one scale of each product",
        Elements(("deq_scale1", "quant_scale1", "deq_scale2"), 1),
        "支持per-tensor.",
    ),
)

ROWS = (
    *_SHIFTS,
    *_PACKED,
    *_QUANTISED,
)
