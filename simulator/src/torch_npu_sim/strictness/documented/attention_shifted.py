"""``npu_fused_infer_attention_score`` and ``_v2``: shifts of scores; of the first also padding and shared prefixes."""

from torch_npu_sim.strictness.attention_versions import BOTH, FIRST, SECOND
from torch_npu_sim.strictness.conditions import Given, Is, Not, OfAxis, OfDtype
from torch_npu_sim.strictness.demands import (
    Contiguous,
    Dtypes,
    Elements,
    Ranks,
    SameDtype,
    SameShape,
    SameSize,
    SizeOrOne,
    Sizes,
)
from torch_npu_sim.strictness.demands_by_layout import Axis, Reaches, ReachesBlocks, Within
from torch_npu_sim.strictness.demands_of_values import Demanded, Excluded, Length, SizeIs
from torch_npu_sim.strictness.row import Row

_FIRST = FIRST.operators
_HALF = ("float16", "bfloat16")
_ONE = OfAxis("query", "S", most=1)
_PAGED = Given("block_table")
_SHIFTED = Given("pse_shift")
_BATCH = Is("input_layout", "BSH", "BSND", "BNSD", "BNSD_BSND")

_SHIFT = "pse_shift: Tensor类型, 在attention结构内部的位置编码参数, 数据类型支持float16、bfloat16, 数据类型与query的数据类型需满足数据类型推导规则. 不支持非连续的Tensor"
_OF_SEVERAL = "输入shape类型需为(B, Q_N, Q_S, KV_S)或(1, Q_N, Q_S, KV_S), 其中Q_S为query的shape中的S"
_OF_ONE = "输入shape类型需为(B, Q_N, 1, KV_S)或(1, Q_N, 1, KV_S)"
_AT_LEAST = "Q_S需大于等于query的S长度, KV_S需大于等于key的S长度."

_SHIFTS = (
    Row(BOTH, "dtype of the shift", Dtypes(("pse_shift",), _HALF), _SHIFT),
    Row(BOTH, "contiguous shift", Contiguous(("pse_shift",)), _SHIFT),
    Row(
        BOTH,
        "queries of a shift in float16",
        Dtypes(("query",), ("float16", "int8")),
        "Q_S大于1, 要求在pse_shift为float16类型时, 此时的query为float16或int8类型;",
        when=(OfDtype("pse_shift", "float16"),),
    ),
    Row(
        BOTH,
        "queries of one token of a shift in float16",
        Dtypes(("query",), ("float16",)),
        "Q_S为1, 要求在pse_shift为float16类型时, 此时的query为float16类型;",
        when=(_ONE, OfDtype("pse_shift", "float16")),
    ),
    Row(
        BOTH,
        "queries of a shift in bfloat16",
        Dtypes(("query",), ("bfloat16",)),
        "而在pse_shift为bfloat16类型时, 要求此时的query为bfloat16类型.",
        when=(OfDtype("pse_shift", "bfloat16"),),
    ),
    Row(BOTH, "dimensions of the shift", Ranks(("pse_shift",), 4, 4), _OF_SEVERAL, when=(_BATCH,)),
    Row(
        BOTH,
        "a shift for each of a batch",
        SizeOrOne("pse_shift", 0, "query", 0),
        _OF_SEVERAL,
        when=(_SHIFTED, _BATCH),
    ),
    Row(
        FIRST.operators,
        "a shift for each head",
        SizeIs("pse_shift", 1, FIRST.heads),
        _OF_SEVERAL,
        when=(_SHIFTED, _BATCH),
    ),
    Row(
        SECOND.operators,
        "a shift for each head",
        SizeIs("pse_shift", 1, SECOND.heads),
        _OF_SEVERAL,
        when=(_SHIFTED, _BATCH),
    ),
    Row(BOTH, "shift of one token", Sizes(("pse_shift",), 2, among=(1,)), _OF_ONE, when=(_ONE,)),
    Row(BOTH, "a shift for each query", Reaches("pse_shift", -2, "query", "S"), _AT_LEAST),
    Row(BOTH, "a shift for each key", Reaches("pse_shift", -1, "key", "S"), _AT_LEAST, when=(Not(_PAGED),)),
    Row(
        FIRST.operators,
        "a shift as wide as the rows of the block table",
        ReachesBlocks("pse_shift"),
        "传入的`pse_shift`的最后一维需要大于等于`block_table`的第二维 * `block_size`.",
        when=(_PAGED,),
    ),
    Row(
        BOTH,
        "one dtype of the shift and queries of one token",
        SameDtype(("pse_shift", "query")),
        "pse_shift数据类型需与query数据类型保持一致.",
        when=(_SHIFTED, _ONE),
    ),
    Row(
        BOTH,
        "size of heads beside a shift",
        Axis("query", "D", multiple=16),
        "仅支持D轴对齐, 即D轴可以被16整除.",
        when=(_SHIFTED, _ONE),
    ),
)

_PADDING = (
    Row(
        _FIRST,
        "dtype of the padding of queries",
        Dtypes(("query_padding_size",), ("int64",)),
        "query_padding_size: Tensor类型, 数据类型支持int64.",
    ),
    Row(
        _FIRST,
        "dtype of the padding of keys",
        Dtypes(("kv_padding_size",), ("int64",)),
        "kv_padding_size: Tensor类型, 数据类型支持int64.",
    ),
    Row(
        _FIRST,
        "no padding of queries beside a paged cache",
        Excluded(("query_padding_size",)),
        "query左padding场景不支持PageAttention, 不能与block_table参数一起使能.",
        when=(_PAGED,),
    ),
    Row(
        _FIRST,
        "no padding of keys beside a paged cache",
        Excluded(("kv_padding_size",)),
        "kv左padding场景不支持PageAttention, 不能与block_table参数一起使能.",
        when=(_PAGED,),
    ),
    Row(
        _FIRST,
        "no padding of keys of int4",
        Dtypes(("key", "value"), (*_HALF, "int8")),
        "kv左padding场景不支持Q为bfloat16/float16、KV为int4(int32)的场景.",
        when=(Given("kv_padding_size"), OfDtype("query", *_HALF)),
    ),
    Row(
        _FIRST,
        "what the mode of a tree goes without",
        Excluded(
            (
                *("query_padding_size", "kv_padding_size", "pse_shift", "key_shared_prefix", "value_shared_prefix"),
                "quant_scale2",
            )
        ),
        "不支持左padding、pse_shift、sharedPrefix, 输出dtype不支持int8, 每个batch需满足Q_S <= KV_S.",
        when=(Is("sparse_mode", 9),),
    ),
)

_PREFIX = Given("key_shared_prefix")
_OF_KEYS = "key_shared_prefix: Tensor类型, attention结构中Key的系统前缀部分的参数, 数据类型支持float16、bfloat16、int8, 不支持非连续的Tensor"
_OF_VALUES = "value_shared_prefix: Tensor类型, attention结构中Value的系统前缀部分的输入, 数据类型支持float16、bfloat16、int8, 不支持非连续的Tensor"
_SHAPES = "key_shared_prefix和value_shared_prefix都不为空时, key_shared_prefix的shape第一维batch必须为1, layout为BNSD和BSND情况下N、D轴要与key一致、BSH情况下H要与key一致, value_shared_prefix同理. key_shared_prefix和value_shared_prefix的S应相等."

_PREFIXES = (
    Row(_FIRST, "dtype of the prefix of keys", Dtypes(("key_shared_prefix",), (*_HALF, "int8")), _OF_KEYS),
    Row(_FIRST, "contiguous prefix of keys", Contiguous(("key_shared_prefix",)), _OF_KEYS),
    Row(_FIRST, "dtype of the prefix of values", Dtypes(("value_shared_prefix",), (*_HALF, "int8")), _OF_VALUES),
    Row(_FIRST, "contiguous prefix of values", Contiguous(("value_shared_prefix",)), _OF_VALUES),
    Row(
        _FIRST,
        "one dtype of prefixes, keys and values",
        SameDtype(("key_shared_prefix", "value_shared_prefix", "key", "value")),
        "key_shared_prefix和value_shared_prefix都不为空时, key_shared_prefix、value_shared_prefix、key、value的维度相同、dtype保持一致.",
        when=(_PREFIX,),
    ),
    Row(
        _FIRST,
        "one prefix",
        Sizes(("key_shared_prefix", "value_shared_prefix"), 0, among=(1,)),
        _SHAPES,
    ),
    Row(
        _FIRST,
        "size of the prefix",
        SameSize("key_shared_prefix", -1, "key", -1),
        _SHAPES,
        when=(_PREFIX,),
    ),
    Row(
        _FIRST,
        "one shape of prefixes",
        SameShape(("key_shared_prefix", "value_shared_prefix")),
        _SHAPES,
        when=(_PREFIX,),
    ),
    Row(
        _FIRST,
        "length of the prefix",
        Within("actual_shared_prefix_len", "key_shared_prefix", "S"),
        "该入参中的有效Sequence Length应该不大于key_shared_prefix/value_shared_prefix中的Sequence Length.",
    ),
    Row(
        _FIRST,
        "one length of the prefix",
        Length("actual_shared_prefix_len", least=1, most=1),
        "当actual_shared_prefix_len存在时, actual_shared_prefix_len的shape需要为[1], 值不能大于key_shared_prefix和value_shared_prefix的S.",
    ),
    Row(
        _FIRST,
        "a prefix is not of int8 with queries, keys and values",
        Dtypes(("query",), _HALF),
        "prefix场景不支持query、key、value数据类型同时为int8.",
        when=(_PREFIX, OfDtype("key", "int8"), OfDtype("value", "int8")),
    ),
    Row(
        _FIRST,
        "no prefix beside queries, keys and values of int8",
        Dtypes(("query",), _HALF),
        "prefix场景, 不支持输入qkv全部为int8的场景.",
        when=(_PREFIX, OfDtype("key", "int8"), OfDtype("value", "int8")),
    ),
)

_LATENTS = Given("query_rope")
_ALL_INT8 = (OfDtype("query", "int8"), OfDtype("key", "int8"), OfDtype("value", "int8"))
_RESULTS_INT8 = (
    "输入为int8, 输出为int8的场景: 入参dequant_scale1、quant_scale1、dequant_scale2、quant_scale2需要同时存在"
)
_RESULTS_HALF = "输入为int8, 输出为float16的场景: 入参dequant_scale1、quant_scale1、dequant_scale2需要同时存在, 若存在入参quant_offset2或quant_scale2(即不为None), 则报错并返回."

_WHOLE_NUMBERS = (
    Row(
        _FIRST,
        "no scales of products of other queries",
        Excluded(("dequant_scale1", "quant_scale1", "dequant_scale2")),
        "输入全为float16或bfloat16, 输出为int8的场景: 入参quant_scale2需存在, quant_offset2可选, 不传时默认为0, 若存在入参dequant_scale1或quant_scale1或dequant_scale2(即不为None), 则报错并返回.",
        when=(OfDtype("query", *_HALF), OfDtype("key", *_HALF), Given("quant_scale2")),
    ),
    Row(
        _FIRST,
        "dtype of the scale of the first product",
        Dtypes(("dequant_scale1",), ("uint64", "float32")),
        "dequant_scale1: Tensor类型, 数据类型支持uint64、float32.",
    ),
    Row(
        _FIRST,
        "dtype of the scale of what is multiplied by values",
        Dtypes(("quant_scale1",), ("float32",)),
        "quant_scale1: Tensor类型, 数据类型支持float32.",
    ),
    Row(
        _FIRST,
        "dtype of the scale of the second product",
        Dtypes(("dequant_scale2",), ("uint64", "float32")),
        "dequant_scale2: Tensor类型, 数据类型支持uint64、float32.",
    ),
    Row(
        _FIRST,
        "one scale of the first product",
        Elements(("dequant_scale1",), 1),
        "数据格式支持ND, 表示BMM1后面的反量化因子, 支持per-tensor.",
    ),
    Row(
        _FIRST,
        "one scale of what is multiplied by values",
        Elements(("quant_scale1",), 1),
        "数据格式支持ND, 表示BMM2前面的量化因子, 支持per-tensor.",
    ),
    Row(
        _FIRST,
        "one scale of the second product",
        Elements(("dequant_scale2",), 1),
        "数据格式支持ND, 表示BMM2后面的反量化因子, 支持per-tensor.",
    ),
    Row(
        _FIRST,
        "scales of queries, keys and values of int8",
        Demanded(("dequant_scale1", "quant_scale1", "dequant_scale2")),
        _RESULTS_INT8,
        when=_ALL_INT8,
    ),
    Row(
        _FIRST,
        "no offset of results of float16",
        Excluded(("quant_offset2",)),
        _RESULTS_HALF,
        when=(*_ALL_INT8, Not(Given("quant_scale2"))),
    ),
    Row(
        BOTH,
        "queries of one token are not of int8",
        Dtypes(("query",), _HALF),
        "query、key、value输入类型均为int8的场景暂不支持.",
        # Of latents the second version describes them.
        when=(_ONE, OfDtype("key", "int8"), OfDtype("value", "int8"), Not(_LATENTS)),
    ),
)

ROWS = (*_SHIFTS, *_PADDING, *_PREFIXES, *_WHOLE_NUMBERS)
