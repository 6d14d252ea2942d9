"""``npu_fused_infer_attention_score`` and ``_v2``: scales of keys and values together, and of results."""

from torch_npu_sim.strictness.attention_versions import BOTH, FIRST, SECOND, Version
from torch_npu_sim.strictness.conditions import Given, Is, Not, OfAxis, OfDtype, OfSize
from torch_npu_sim.strictness.demands import Dtypes, Ranks, SameDtype, SameShape, Sizes
from torch_npu_sim.strictness.demands_by_layout import Axis, OneOrAll, ReachesBlocks
from torch_npu_sim.strictness.demands_of_values import Demanded, Excluded, Values
from torch_npu_sim.strictness.row import Row

_FIRST, _SECOND = FIRST.operators, SECOND.operators

_HALF = ("float16", "bfloat16")

_ONE = OfAxis("query", "S", most=1)

_SEVERAL = OfAxis("query", "S", least=2)

_PAGED = Given("block_table")

_TOGETHER = Given("antiquant_scale")

_BOTH_SCALES = ("antiquant_scale", "antiquant_offset")

_BY_CHANNEL = "per-channel模式: 两个参数BNSD场景下shape为(2, KV_N, 1, D), BSND场景下shape为(2, KV_N, D), BSH场景下shape为(2, H). 参数数据类型和query数据类型相同, antiquant_mode置0"

_BY_TENSOR = "per-tensor模式: 两个参数的shape均为(2,), 数据类型和query数据类型相同, antiquant_mode置0"

_BY_TOKEN = "per-token模式: 两个参数的shape均为(2, B, KV_S), 数据类型固定为float32, antiquant_mode置1"

_OF_KEYS_AND_VALUES = (
    Row(
        _FIRST,
        "dtype of scales of keys and values",
        Dtypes(("antiquant_scale",), _HALF),
        "antiquant_scale: Tensor类型, 数据类型支持float16、bfloat16.",
        # Scales of tokens are of float32 by another sentence.
        when=(Not(Is("antiquant_mode", 1)),),
    ),
    Row(
        _FIRST,
        "dtype of scales of keys and values of several queries",
        Dtypes(("antiquant_scale",), ("float16",)),
        "表示伪量化因子, 支持per-tensor、per-channel, Q_S为1时只支持per-channel, Q_S大于等于2时只支持float16",
        when=(_SEVERAL,),
    ),
    Row(
        _FIRST,
        "dtype of offsets of keys and values",
        Dtypes(("antiquant_offset",), _HALF),
        "antiquant_offset: Tensor类型, 数据类型支持float16、bfloat16.",
        when=(Not(Is("antiquant_mode", 1)),),
    ),
    Row(
        _FIRST,
        "dtype of offsets of keys and values of several queries",
        Dtypes(("antiquant_offset",), ("float16",)),
        "表示伪量化偏移, 支持per-tensor、per-channel, Q_S为1时只支持per-channel, Q_S大于等于2时只支持float16",
        when=(_SEVERAL,),
    ),
    Row(
        _FIRST,
        "kinds of scales of keys and values",
        Values(("antiquant_mode",), among=(0, 1)),
        "传入0和1之外的其他值会执行异常.",
        when=(_ONE,),
    ),
    Row(
        _FIRST,
        "one dtype of queries and scales of channels",
        SameDtype(("query", *_BOTH_SCALES)),
        _BY_CHANNEL,
        when=(_TOGETHER, Is("antiquant_mode", 0)),
    ),
    Row(
        _FIRST,
        "scales of keys and of values",
        Sizes(_BOTH_SCALES, 0, among=(2,)),
        _BY_TENSOR,
        when=(Is("antiquant_mode", 0),),
    ),
    Row(
        _FIRST,
        "dtype of scales of tokens",
        Dtypes(_BOTH_SCALES, ("float32",)),
        _BY_TOKEN,
        when=(Is("antiquant_mode", 1), _ONE),
    ),
    Row(
        _FIRST,
        "dimensions of scales of tokens",
        Ranks(_BOTH_SCALES, 3, 3),
        _BY_TOKEN,
        when=(Is("antiquant_mode", 1), _ONE),
    ),
    Row(
        _FIRST,
        "keys of several queries with scales",
        Dtypes(("key", "value"), ("int8",)),
        "kvCache反量化的合成参数场景仅支持int8反量化到float16.",
        when=(_TOGETHER, _SEVERAL),
    ),
    Row(
        _FIRST,
        "scales of tokens as wide as the rows of the block table",
        ReachesBlocks("antiquant_scale"),
        "page attention场景下，以下场景输入S需要大于等于`block_table`的第二维 * `block_size`：",
        when=(_PAGED, Is("antiquant_mode", 1)),
    ),
)


def _of_results(version: Version) -> tuple[Row, ...]:
    """Return the rows of the scale and the offset of results."""
    scale, offset = version.out_scale, version.out_offset
    per_channel = (Given(scale), Not(OfSize(scale, -1, 1)))
    return (
        Row(
            version.operators,
            "dtype of the scale of results",
            Dtypes((scale,), ("float32", "bfloat16")),
            f"{scale}: Tensor类型, 数据类型支持float32、bfloat16.",
        ),
        Row(
            version.operators,
            "dtype of the scale of results of other queries",
            Dtypes((scale,), ("float32",)),
            f"若传入{offset}, 需保证其类型和shape信息与{scale}一致. 当输入为bfloat16时, 同时支持float32和bfloat16 , 否则仅支持float32.",
            when=(Not(OfDtype("query", "bfloat16")),),
        ),
        Row(
            version.operators,
            "scales of results without heads of their own",
            OneOrAll(scale, "query", "H"),
            "per-channel格式, 当输出layout为BSH时, 要求quant_scale2所有维度的乘积等于H;",
            when=(Is("input_layout", "BSH"),),
        ),
        Row(
            version.operators,
            "scales of results of heads",
            OneOrAll(scale, "query", "NDH"),
            "其他layout要求乘积等于Q_N*D",
            when=(Is("input_layout", "BSND", "BNSD", "BNSD_BSND", "BSH_NBSD", "BSND_NBSD", "BNSD_NBSD"),),
        ),
        Row(
            version.operators,
            "dtypes of scales and offsets of results",
            Dtypes((scale, offset), ("float32", "bfloat16")),
            f"入参{offset}和{scale}支持per-tensor或per-channel格式, 数据类型支持float32、bfloat16.",
        ),
        Row(
            version.operators,
            "dtype of the offset of results",
            SameDtype((scale, offset)),
            f"{offset}: Tensor类型, 数据类型支持float32、bfloat16. 数据格式支持ND, 表示输出的量化偏移, 支持per-tensor、per-channel. "
            f"若传入{offset}, 需保证其类型和shape信息与",
        ),
        Row(
            version.operators,
            "shape of the offset of results",
            SameShape((scale, offset)),
            f"{offset}: Tensor类型, 数据类型支持float32、bfloat16. 数据格式支持ND, 表示输出的量化偏移, 支持per-tensor、per-channel. "
            f"若传入{offset}, 需保证其类型和shape信息与",
        ),
        Row(
            version.operators,
            "a band of results of int8",
            Values(("pre_tokens", "next_tokens"), least=0),
            "输出为int8时, 暂不支持sparse为band且preTokens/nextTokens为负数.",
            when=(Given(scale), Is("sparse_mode", 4)),
        ),
        Row(
            version.operators,
            "every row of results with an offset counts under a mask",
            Values(("next_tokens",), least=0),
            f"sparse_mode=0, atten_mask如果非None, 每个batch {version.query_lengths}-{version.key_lengths}-pre_tokens>0或next_tokens<0时, 满足拦截条件.",
            when=(Given(offset), Given(scale), Given("atten_mask"), Is("sparse_mode", 0)),
        ),
        Row(
            version.operators,
            "every row of results with an offset counts in a band",
            Values(("pre_tokens",), least=0),
            f"sparse_mode=4, pre_tokens<0或每个batch next_tokens+{version.key_lengths}-{version.query_lengths}<0时, 满足拦截条件.",
            when=(Given(offset), Given(scale), Is("sparse_mode", 4)),
        ),
        Row(
            version.operators,
            "no scale of results of int4",
            Excluded((scale, offset)),
            "int4(int32)伪量化场景不支持后量化.",
            when=(OfDtype("key", "int32"),),
        ),
        Row(
            version.operators,
            "size of heads beside scales of channels",
            Axis("query", "D", multiple=16),
            f"输出为int8, {scale}和{offset}为per-channel时, 暂不支持",
            when=(*per_channel, OfDtype("query", *_HALF)),
        ),
    )


_RESULTS = (
    *_of_results(FIRST),
    Row(
        _FIRST,
        "no padding beside scales of channels",
        Excluded(("query_padding_size", "kv_padding_size")),
        "输出为int8, quant_scale2和quant_offset2为per-channel时, 暂不支持左padding、Ring Attention或者D非32Byte对齐的场景.",
        when=(Given("quant_scale2"), Not(OfSize("quant_scale2", -1, 1))),
    ),
    *_of_results(SECOND),
    Row(
        _SECOND,
        "a scale beside the offset of results",
        Demanded(("quant_scale_out",)),
        "输出为int8的场景: 入参quant_scale_out需要存在, quant_offset_out可选, 不传时默认为0.",
        when=(Given("quant_offset_out"),),
    ),
    Row(
        BOTH,
        "size of heads beside int4",
        Axis("query", "D", multiple=64),
        "int4伪量化仅支持D 64对齐(int32支持D 8对齐).",
        when=(OfDtype("key", "int32"), _ONE),
    ),
)


ROWS = (*_OF_KEYS_AND_VALUES, *_RESULTS)
