"""``npu_fused_infer_attention_score`` and ``_v2``: scales of keys and of values that stand apart, by their mode."""

from torch_npu_sim.strictness.attention_versions import FIRST, SECOND, Version
from torch_npu_sim.strictness.conditions import Given, Is, Not, OfAxis, OfDtype, OfRank, OfSize
from torch_npu_sim.strictness.demands import Dtypes, Ranks, SameDtype, SameShape
from torch_npu_sim.strictness.demands_by_layout import Axis
from torch_npu_sim.strictness.demands_of_values import SameValue, SizeIs, Together, Values
from torch_npu_sim.strictness.row import Row

_FLOAT = ("float16", "bfloat16", "float32")

_ONE = OfAxis("query", "S", most=1)

_SEVERAL = OfAxis("query", "S", least=2)


#: Of latents the second version describes scales by sentences of their own.
_OTHERS = Not(Given("query_rope"))

_PRODUCTS = "Atlas A2 训练系列产品/Atlas 800I A2 推理产品"


def _scales(version: Version) -> tuple[Row, ...]:
    """Return the rows that hold in all modes."""
    one, other, first, second = version.key_scale, version.value_scale, version.key_mode, version.value_mode
    scales, offsets = (one, other), (version.key_offset, version.value_offset)
    given, apart = Given(one), f"除了{first}为0并且{second}为1的场景外"
    return (
        Row(
            version.operators,
            "dtype of scales of keys",
            Dtypes((one,), _FLOAT),
            f"{_PRODUCTS}: 数据类型支持float16、bfloat16、float32.",
        ),
        Row(
            version.operators,
            "dtype of scales of keys, Atlas A3",
            Dtypes((one,), _FLOAT),
            "Atlas A3 训练系列产品: 数据类型支持float16、bfloat16、float32.",
        ),
        *(
            Row(
                version.operators,
                name,
                Dtypes((of,), _FLOAT),
                f"{of}: Tensor类型, 数据类型支持float16、bfloat16、float32.",
            )
            for name, of in (
                ("dtype of scales of values", other),
                ("dtype of offsets of scaled keys", version.key_offset),
                ("dtype of offsets of scaled values", version.value_offset),
            )
        ),
        Row(
            version.operators,
            "modes of scales",
            Values((first, second), among=(0, 1, 2, 3, 4, 5)),
            f"{_PRODUCTS}: 支持取值0、1、2、3、4、5.",
        ),
        Row(
            version.operators,
            "modes of scales, Atlas A3",
            Values((first, second), among=(0, 1, 2, 3, 4, 5)),
            "Atlas A3 训练系列产品: 支持取值0、1、2、3、4、5.",
        ),
        Row(
            version.operators,
            "one mode of scales of keys and values",
            SameValue((first, second)),
            f"取值{apart}, 需要与{second}一致.",
            when=(given, Not(Is(first, 0))),
        ),
        Row(
            version.operators,
            "modes of scales of values beside channels of keys",
            Values((second,), among=(0, 1)),
            f"取值{apart}, 需要与{first}一致.",
            when=(given, Is(first, 0)),
        ),
        Row(
            version.operators,
            "one mode of scales of one query",
            SameValue((first, second)),
            f"{apart}, {first}和{second}取值需要保持一致.",
            when=(given, Not(Is(first, 0))),
        ),
        Row(
            version.operators,
            "one mode of scales of several queries",
            SameValue((first, second)),
            f"\n{first}和{second}需要保持一致.",
            when=(given, _SEVERAL, _OTHERS),
        ),
        Row(
            version.operators,
            "scales of keys and values together",
            Together(scales),
            f"{one}和{other}要么都为空, 要么都不为空",
        ),
        Row(
            version.operators,
            "offsets of keys and values together",
            Together(offsets),
            f"{offsets[0]}和{offsets[1]}要么都为空, 要么都不为空",
        ),
        *(
            row
            for what, of in (("scales", scales), ("offsets", offsets))
            for row in (
                Row(
                    version.operators,
                    f"one shape of {what} of several queries",
                    SameShape(of),
                    f"{of[0]}和{of[1]}都不为空时, 其shape需要保持一致",
                    when=(_SEVERAL,),
                ),
                Row(
                    version.operators,
                    f"one shape of {what} of one query",
                    SameShape(of),
                    f"{of[0]}和{of[1]}都不为空时, {apart}, 其shape需要保持一致",
                    when=(_ONE, Not(Is(second, 1))),
                ),
            )
        ),
        Row(
            version.operators,
            "tokens of queries beside scales",
            Axis("query", "S", most=16),
            f"{one}与{other}非空场景, 要求query的s小于等于16.",
            when=(given,),
        ),
        Row(
            version.operators,
            "dtype of queries beside scales",
            Dtypes(("query",), ("bfloat16",)),
            f"{one}与{other}非空场景, 要求query的dtype为bfloat16, key、value的dtype为int8, 输出的dtype为bfloat16.",
            when=(given, _SEVERAL, _OTHERS),
        ),
        Row(
            version.operators,
            "dtype of keys beside scales",
            Dtypes(("key", "value"), ("int8",)),
            f"{one}与{other}非空场景, 要求query的dtype为bfloat16, key、value的dtype为int8, 输出的dtype为bfloat16.",
            when=(given, _SEVERAL, _OTHERS),
        ),
    )


def _modes(version: Version) -> tuple[Row, ...]:
    """Return the rows of each mode with one query token."""
    one, other, first, second = version.key_scale, version.value_scale, version.key_mode, version.value_mode
    of_mode = {
        mode: (Given(one), _ONE, _OTHERS, Is(first, mode), *(() if mode else (Is(second, 0),))) for mode in range(6)
    }
    both, int8, heads = ("int8", "int32"), ("int8",), Not(Is("num_key_value_heads", 0))
    mixed = (Given(one), _ONE, _OTHERS, Is(first, 0), Is(second, 1))
    by_both = (
        f"key支持per-channel叠加value支持per-token模式: {_PRODUCTS}: 当key、value数据类型为int4(int32)或int8时支持;"
    )
    return (
        Row(
            version.operators,
            "dtype of scales of channels",
            SameDtype(("query", one, other)),
            "per-channel模式: 两个参数shape支持(1, KV_N, 1, D), (1, KV_N, D), (1, H), 数据类型和query数据类型相同.",
            when=of_mode[0],
        ),
        Row(
            version.operators,
            "dtype of single scales",
            SameDtype(("query", one, other)),
            "per-tensor模式: 两个参数的shape均为(1,), 数据类型和query数据类型相同.",
            when=(*of_mode[0], OfRank(one, 1), OfSize(one, -1, 1)),
        ),
        Row(
            version.operators,
            "dtype of scales of heads",
            SameDtype(("query", one, other)),
            "per-tensor叠加per-head模式: 两个参数的shape均为(KV_N,), 数据类型和query数据类型相同.",
            when=of_mode[2],
        ),
        Row(
            version.operators,
            "dimensions of scales of heads",
            Ranks((one, other), 1, 1),
            "per-tensor叠加per-head模式: 两个参数的shape均为(KV_N,), 数据类型和query数据类型相同.",
            when=of_mode[2],
        ),
        Row(
            version.operators,
            "a scale for each head of keys",
            SizeIs(one, 0, "num_key_value_heads"),
            "per-tensor叠加per-head模式: 两个参数的shape均为(KV_N,), 数据类型和query数据类型相同.",
            when=(*of_mode[2], heads),
        ),
        Row(
            version.operators,
            "dtype of scales of tokens and heads",
            Dtypes((one, other), ("float32",)),
            "per-token叠加per-head模式: 两个参数的shape均为(B, KV_N, KV_S), 数据类型固定为float32.",
            when=of_mode[3],
        ),
        *(
            Row(version.operators, name, Dtypes(("key", "value"), taken), quote, when=when)
            for name, taken, quote, when in (
                (
                    *("keys with scales of channels", both),
                    f"per-channel模式: {_PRODUCTS}: 当key、value数据类型为int4(int32)或int8时支持. Atlas A3 训练系列产品: 当key、value数据类型为int4(int32)或int8时支持.",
                    of_mode[0],
                ),
                (
                    *("keys with single scales", int8),
                    f"per-tensor模式: {_PRODUCTS}: 当key、value数据类型为int8时支持.",
                    (*of_mode[0], OfRank(one, 1), OfSize(one, -1, 1)),
                ),
                (
                    *("keys with scales of tokens", both),
                    "per-token模式: key、value数据类型为int4(int32)或int8时支持.",
                    of_mode[1],
                ),
                (
                    *("keys with scales of heads", int8),
                    f"per-tensor叠加per-head模式: {_PRODUCTS}: 当key、value数据类型为int8时支持.",
                    of_mode[2],
                ),
                (
                    *("keys with scales of tokens and heads", both),
                    "per-token叠加per-head模式: key、value数据类型为int4(int32)或int8时支持.",
                    of_mode[3],
                ),
                (
                    *("keys with scales of tokens in pages", int8),
                    "per-token叠加使用page attention模式: key、value数据类型为int8时支持.",
                    of_mode[4],
                ),
                (
                    *("keys with scales of tokens and heads in pages", int8),
                    "per-token叠加per head并使用page attention模式: key、value数据类型为int8时支持.",
                    of_mode[5],
                ),
                ("keys by channels and values by tokens", both, by_both, mixed),
            )
        ),
        Row(
            version.operators,
            "dtype of keys' scales beside values by tokens",
            SameDtype(("query", one)),
            "对于key支持per-channel, 两个参数的shape可支持(1, KV_N, 1, D)、(1, KV_N, D)、(1, H), 且参数数据类型和query数据类型相同.",
            when=mixed,
        ),
        Row(
            version.operators,
            "dtype of values' scales by tokens",
            Dtypes((other,), ("float32",)),
            "对于value支持per-token, 两个参数的shape均为(1, B, KV_S)并且数据类型固定为float32.",
            when=mixed,
        ),
        Row(
            version.operators,
            "queries beside keys of int8 by channels and values by tokens",
            Dtypes(("query",), ("float16",)),
            "当key和value的数据类型为int8时, 仅支持query和输出的dtype为float16.",
            when=(*mixed, OfDtype("key", "int8")),
        ),
    )


ROWS = (*_scales(FIRST), *_modes(FIRST), *_scales(SECOND), *_modes(SECOND))
