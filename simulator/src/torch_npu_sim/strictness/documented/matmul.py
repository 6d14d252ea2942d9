"""``npu_quant_matmul``: the table of dtypes, of the devices A2 and A3, and shapes."""

from torch_npu_sim.strictness.call import OUTPUT
from torch_npu_sim.strictness.conditions import Is, Not, OfDtype, OfRank
from torch_npu_sim.strictness.demands import (
    Combinations,
    Contiguous,
    Dtypes,
    Ranks,
    SameDtype,
    SameSize,
    SizeOrOne,
    Sizes,
)
from torch_npu_sim.strictness.row import Row

_QUANT = ("npu_quant_matmul",)

#: Of x1, x2, scale, offset, bias, pertoken_scale and the output: the columns of the table as they stand.
_TABLE = (
    ("int8", "int8", "int64|float32", "none", "int32|none", "none", "float16"),
    ("int8", "int8", "int64|float32", "float32|none", "int32|none", "none", "int8"),
    ("int8", "int8", "float32|bfloat16", "none", "int32|bfloat16|float32|none", "float32|none", "bfloat16"),
    ("int8", "int8", "float32", "none", "int32|float16|float32|none", "float32", "float16"),
    ("int32", "int32", "int64|float32", "none", "int32|none", "none", "float16"),
    ("int8", "int8", "float32|bfloat16", "none", "int32|none", "none", "int32"),
)

_BIAS = "当输出是2、4、5、6维情况下, bias的shape必须为1维. 当输出是2维情况下, bias的shape可以为1维或2维. 当输出是3维情况下, bias的shape可以为1维或3维."
_OFFSET = (
    "offset: Tensor类型, 可选参数. 数据类型支持float32, 数据格式支持ND, shape需要是1维(t,), t=1或n, 其中n与x2的n一致."
)

ROWS = (
    Row(
        _QUANT,
        "combinations of dtypes",
        Combinations(("x1", "x2", "scale", "offset", "bias", "pertoken_scale", OUTPUT), _TABLE),
        "bias:int32/None, int32/None, int32/bfloat16/float32/None, int32/float16/float32/None, int32/None, int32/None",
    ),
    Row(
        _QUANT,
        "dimensions of x1",
        Ranks(("x1",), 2, 6),
        "x1: Tensor类型, 数据格式支持ND, shape需要在2-6维范围.",
    ),
    Row(
        _QUANT,
        "dimensions of x2",
        Ranks(("x2",), 2, 6),
        "x2: Tensor类型(weight), 数据格式支持ND, shape需要在2-6维范围.",
    ),
    Row(
        _QUANT,
        "dtype of x1",
        Dtypes(("x1",), ("int8", "int32")),
        "数据类型支持int8和int32. 其中int32表示int4类型矩阵乘计算, 每个int32数据存放8个int4数据.",
    ),
    Row(_QUANT, "one dtype of factors", SameDtype(("x1", "x2")), "数据类型与x1的数据类型保持一致."),
    Row(
        _QUANT,
        "dimensions of the scale",
        Ranks(("scale",), 1, 1),
        "数据类型支持float32、int64、bfloat16. shape需要是1维(t, ), t=1或n, 其中n与x2的n一致.",
    ),
    Row(
        _QUANT,
        "a scale for all columns or for each",
        SizeOrOne("scale", 0, "x2", -1),
        "数据类型支持float32、int64、bfloat16. shape需要是1维(t, ), t=1或n, 其中n与x2的n一致.",
        when=(OfDtype("x2", "int8"),),
    ),
    Row(_QUANT, "dtype of the offset", Dtypes(("offset",), ("float32",)), _OFFSET),
    Row(_QUANT, "dimensions of the offset", Ranks(("offset",), 1, 1), _OFFSET),
    Row(
        _QUANT,
        "an offset for all columns or for each",
        SizeOrOne("offset", 0, "x2", -1),
        _OFFSET,
        when=(OfDtype("x2", "int8"),),
    ),
    Row(
        _QUANT,
        "dtype of the tokens' scale",
        Dtypes(("pertoken_scale",), ("float32",)),
        "pertoken_scale: Tensor类型, 可选参数. 数据类型支持float32, 数据格式支持ND.",
    ),
    Row(
        _QUANT,
        "dimensions of the tokens' scale",
        Ranks(("pertoken_scale",), 1, 1),
        "数据类型支持float32. shape需要是1维(m,), 其中m与x1的m一致.",
    ),
    Row(
        _QUANT,
        "a scale for each token",
        SameSize("pertoken_scale", 0, "x1", -2),
        "数据类型支持float32. shape需要是1维(m,), 其中m与x1的m一致.",
    ),
    Row(
        _QUANT,
        "last dimensions",
        Sizes(("x1", "x2"), -1, most=65535),
        "其他情况, x1与x2最后一维的shape大小不能超过65535.",
    ),
    Row(_QUANT, "scale is not empty", Sizes(("x1", "x2", "scale"), 0, least=1), "传入的x1、x2、scale不能是空."),
    Row(
        _QUANT,
        "dtype of the bias",
        Dtypes(("bias",), ("int32", "bfloat16", "float16", "float32")),
        "数据类型支持int32、bfloat16、float16、float32.",
    ),
    Row(
        _QUANT,
        "dimensions of the bias",
        Ranks(("bias",), 1, 3),
        "bias: Tensor类型, 可选参数, 数据格式支持ND, shape支持1维(n,)、2维(1, n)或3维(batch, 1, n)",
    ),
    Row(
        _QUANT,
        "dimensions of the bias of matrices",
        Ranks(("bias",), 1, 2),
        _BIAS,
        when=(OfRank("x1", 2), OfRank("x2", 2)),
    ),
    Row(
        _QUANT,
        "dimensions of the bias of many dimensions",
        Ranks(("bias",), 1, 1),
        _BIAS,
        when=(OfRank("x1", 4, 5, 6),),
    ),
    Row(
        _QUANT,
        "a bias for each column",
        SameSize("bias", -1, "x2", -1),
        "n与x2的n一致, 同时batch值需要等于x1和x2 boardcast后推导出的batch值.",
        when=(OfDtype("x2", "int8"),),
    ),
    Row(
        _QUANT,
        "offset beside int8 alone",
        Dtypes(("x1",), ("int8",)),
        "当x1数据类型为int8时, 才支持该参数.",
        when=(Not(Is("offset", None)),),
    ),
    Row(
        _QUANT,
        "contiguous values of four bits",
        Contiguous(("x1",)),
        "x1只能接受shape为(m, k//8)且数据排布连续的数据",
        when=(OfDtype("x1", "int32"),),
    ),
)
