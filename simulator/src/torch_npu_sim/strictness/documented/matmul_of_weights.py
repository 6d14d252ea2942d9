"""Products with weights of few bits, and of transposed factors: ``npu_weight_quant_batchmatmul`` and its relatives."""

from torch_npu_sim.strictness.conditions import Given, Not, OfDtype, OfRank, OfSize, Transposed
from torch_npu_sim.strictness.demands import (
    Contiguous,
    Dtypes,
    Elements,
    Ranks,
    SameDtype,
    SameShape,
    SameSize,
    Sizes,
)
from torch_npu_sim.strictness.demands_of_shapes import Layout, NotAbove, SameRank
from torch_npu_sim.strictness.demands_of_values import Demanded, Excluded, Values
from torch_npu_sim.strictness.row import Row

_WEIGHT = ("npu_weight_quant_batchmatmul",)
_TRANSPOSE = ("npu_transpose_batchmatmul",)
_PACK = ("npu_convert_weight_to_int4pack",)

_HALF = ("float16", "bfloat16")
_FLOAT = (*_HALF, "float32")

_SCALE_INT64 = OfDtype("antiquant_scale", "int64")
_BY_GROUPS = (OfRank("antiquant_scale", 2), Not(OfSize("antiquant_scale", 0, 1)))

_OF_WEIGHT = "数据类型支持int8、int32(通过int32承载int4的输入, 可参考7.2.1.74-torch_npu.npu_convert_weight_to_int4pack调用示例). 数据格式支持ND、FRACTAL_NZ."
_OF_INT64 = "若输入为int64, x数据类型必须为float16且不带transpose输入, 同时weight数据类型必须为int8、数据格式为ND、带transpose输入, 可参考调用示例."
_SIZES_OF_INT64 = "此时只支持per-channel场景, M范围为[1, 96], 且K和N要求64对齐."
_QUANT_SCALE = "quant_scale: Tensor类型, 量化的scale, 用于输出矩阵的量化, 可选参数, 默认值为None, 仅在weight格式为ND时支持. 数据类型支持float32、int64, 数据格式支持ND, 支持输入维度为两维(1, N)或一维(N, )、(1, ). 当antiquant_scale的数据类型为int64时, 此参数必须为空."
_QUANT_OFFSET = "quant_offset: Tensor类型, 量化的offset, 用于输出矩阵的量化, 可选参数, 默认值为None, 仅在weight格式为ND时支持. 数据类型支持float32, 数据格式支持ND, 支持输入维度为两维(1, N)或一维(N, )、(1, ). 当antiquant_scale的数据类型为int64时, 此参数必须为空."
_BIAS = "数据类型支持float16、float32. 当x数据类型为bfloat16, bias需为float32;"
_GROUP_SIZE = "per-group场景下要求传入值的范围为[32, K-1]且必须是32的倍数."
_WIDTHS = "x和weight后两维必须为(M, K)和(K, N)格式, K、N的范围为[1, 65535];"
_HEIGHT = "在x为非转置时, M的范围为[1, 2^31-1], 在x为转置时, M的范围为[1, 65535]."
_BESIDE_SCALE = "quant_scale和quant_offset的输入shape要保持一致, 且quant_offset不能独立于quant_scale存在."

_ROWS_OF_SCALES = (
    Row(
        _WEIGHT,
        "dtype of the weight's scale",
        Dtypes(("antiquant_scale",), (*_HALF, "int64")),
        "数据类型支持float16、bfloat16、int64. 若输入为float16、bfloat16,  其数据类型需与x保持一致.",
    ),
    Row(
        _WEIGHT,
        "dtype of x beside a scale of floats",
        SameDtype(("x", "antiquant_scale")),
        "数据类型支持float16、bfloat16、int64. 若输入为float16、bfloat16,  其数据类型需与x保持一致.",
        when=(Not(_SCALE_INT64),),
    ),
    Row(_WEIGHT, "dtype of x beside a scale of int64", Dtypes(("x",), ("float16",)), _OF_INT64, when=(_SCALE_INT64,)),
    Row(_WEIGHT, "x beside a scale of int64", Layout(("x",), transposed=False), _OF_INT64, when=(_SCALE_INT64,)),
    Row(
        _WEIGHT,
        "dtype of the weight beside a scale of int64",
        Dtypes(("weight",), ("int8",)),
        _OF_INT64,
        when=(_SCALE_INT64,),
    ),
    Row(
        _WEIGHT,
        "the weight beside a scale of int64",
        Layout(("weight",), transposed=True),
        _OF_INT64,
        when=(_SCALE_INT64,),
    ),
    Row(
        _WEIGHT,
        "rows of x beside a scale of int64",
        Sizes(("x",), 0, least=1, most=96),
        _SIZES_OF_INT64,
        when=(_SCALE_INT64,),
    ),
    Row(
        _WEIGHT,
        "columns of x beside a scale of int64",
        Sizes(("x", "weight"), -1, multiple=64),
        _SIZES_OF_INT64,
        when=(_SCALE_INT64,),
    ),
    Row(
        _WEIGHT,
        "dtype of the weight's offset",
        Dtypes(("antiquant_offset",), (*_HALF, "int32")),
        "数据类型支持float16、bfloat16、int32. per-group场景shape要求为(ceil_div(K, antiquant_group_size), N).",
    ),
    Row(
        _WEIGHT,
        "one dtype of the weight's offset and scale",
        SameDtype(("antiquant_offset", "antiquant_scale")),
        "若输入为float16、bfloat16, 其数据类型需与antiquant_scale保持一致.",
        when=(OfDtype("antiquant_offset", *_HALF),),
    ),
    Row(
        _WEIGHT,
        "dtype of the weight's scale beside an offset of int32",
        Dtypes(("antiquant_scale",), ("int64",)),
        "若输入为int32, antiquant_scale的数据类型必须为int64.",
        when=(OfDtype("antiquant_offset", "int32"),),
    ),
    Row(
        _WEIGHT,
        "shape of the weight's offset",
        SameShape(("antiquant_scale", "antiquant_offset")),
        "antiquant_scale和antiquant_offset的输入shape要保持一致.",
    ),
    Row(_WEIGHT, "least size of a group", Values(("antiquant_group_size",), least=32), _GROUP_SIZE, when=_BY_GROUPS),
    Row(_WEIGHT, "size of a group", Values(("antiquant_group_size",), multiple=32), _GROUP_SIZE, when=_BY_GROUPS),
    Row(
        _WEIGHT,
        "greatest size of a group",
        NotAbove("antiquant_group_size", "x", of_dimension=-1, less=1),
        _GROUP_SIZE,
        when=_BY_GROUPS,
    ),
    Row(_WEIGHT, "dtype of the output's scale", Dtypes(("quant_scale",), ("float32", "int64")), _QUANT_SCALE),
    Row(_WEIGHT, "dimensions of the output's scale", Ranks(("quant_scale",), 1, 2), _QUANT_SCALE),
    Row(
        _WEIGHT,
        "no scale of the output beside one of int64",
        Excluded(("quant_scale",)),
        _QUANT_SCALE,
        when=(_SCALE_INT64,),
    ),
    Row(_WEIGHT, "dtype of the output's offset", Dtypes(("quant_offset",), ("float32",)), _QUANT_OFFSET),
    Row(_WEIGHT, "dimensions of the output's offset", Ranks(("quant_offset",), 1, 2), _QUANT_OFFSET),
    Row(
        _WEIGHT,
        "no offset of the output beside a scale of int64",
        Excluded(("quant_offset",)),
        _QUANT_OFFSET,
        when=(_SCALE_INT64,),
    ),
    Row(_WEIGHT, "shape of the output's offset", SameShape(("quant_scale", "quant_offset")), _BESIDE_SCALE),
    Row(
        _WEIGHT,
        "no offset of the output without a scale",
        Demanded(("quant_scale",)),
        _BESIDE_SCALE,
        when=(Given("quant_offset"),),
    ),
)

_ROWS_OF_WEIGHT = (
    Row(_WEIGHT, "dtype of x", Dtypes(("x",), _HALF), "数据类型支持float16、bfloat16."),
    Row(_WEIGHT, "dtype of the weight", Dtypes(("weight",), ("int8", "int32")), _OF_WEIGHT),
    Row(
        _WEIGHT,
        "dimensions of factors",
        Ranks(("x", "weight"), 2, 2),
        "weight: Tensor类型, 即矩阵乘中的weight. 支持带transpose的非连续的Tensor, 支持输入维度为两维(K, N), 维度需与x保持一致.",
    ),
    Row(
        _WEIGHT,
        "as many dimensions of x",
        SameRank(("x", "weight")),
        "weight: Tensor类型, 即矩阵乘中的weight. 支持带transpose的非连续的Tensor, 支持输入维度为两维(K, N), 维度需与x保持一致.",
    ),
    *_ROWS_OF_SCALES,
    Row(
        _WEIGHT,
        "contiguity of bias",
        Contiguous(("bias",)),
        "bias: Tensor类型,  即矩阵乘中的bias, 可选参数, 默认值为None, 数据格式支持ND,  不支持非连续的Tensor, 支持输入维度为两维(1, N)或一维(N, )、(1, ).",
    ),
    Row(
        _WEIGHT,
        "dimensions of bias",
        Ranks(("bias",), 1, 2),
        "bias: Tensor类型,  即矩阵乘中的bias, 可选参数, 默认值为None, 数据格式支持ND,  不支持非连续的Tensor, 支持输入维度为两维(1, N)或一维(N, )、(1, ).",
    ),
    Row(_WEIGHT, "dtype of bias", Dtypes(("bias",), ("float16", "float32")), _BIAS),
    Row(
        _WEIGHT,
        "dtype of bias beside bfloat16",
        Dtypes(("bias",), ("float32",)),
        _BIAS,
        # Not of float32, which may stand in for either.
        when=(OfDtype("x", "bfloat16"), Not(OfDtype("x", "float16"))),
    ),
    Row(
        _WEIGHT,
        "dtype of bias beside float16",
        Dtypes(("bias",), ("float16",)),
        "当x数据类型为float16, bias需为float16.",
        when=(OfDtype("x", "float16"),),
    ),
    Row(
        _WEIGHT,
        "modes of precision",
        Values(("inner_precise",), among=(0, 1)),
        "inner_precise:  int类型, 计算模式选择,  默认为0. 0表示高精度模式, 1表示高性能模式, 可能会影响精度.",
    ),
    Row(_WEIGHT, "columns of factors", Sizes(("x", "weight"), -1, least=1, most=65535), _WIDTHS),
    Row(
        _WEIGHT,
        "inner dimensions",
        SameSize("weight", 0, "x", 1),
        _WIDTHS,
        when=(OfDtype("weight", "int8"),),
    ),
    Row(_WEIGHT, "rows of x", Sizes(("x",), 0, least=1, most=2**31 - 1), _HEIGHT),
    Row(
        _WEIGHT,
        "rows of a transposed x",
        Sizes(("x",), 0, least=1, most=65535),
        _HEIGHT,
        when=(Transposed("x"),),
    ),
    Row(
        _WEIGHT,
        "no empty tensor",
        Elements(("x", "weight", "antiquant_scale", "antiquant_offset", "quant_scale", "quant_offset", "bias"), least=1),
        "不支持空Tensor输入.",
    ),
)

_ROWS_OF_TRANSPOSE = (
    Row(
        _TRANSPOSE,
        "dtypes",
        Dtypes(("input", "weight", "bias"), _FLOAT),
        "数据类型支持float32、float16、bfloat16，数据格式支持ND。",
    ),
    Row(
        _TRANSPOSE,
        "dimensions of input",
        Ranks(("input",), 3, 3),
        "- input(Tensor, 计算输入): 必选参数, 一个3D的Device侧Tensor输入，矩阵计算的左矩阵。",
    ),
    Row(
        _TRANSPOSE,
        "dimensions of weight",
        Ranks(("weight",), 3, 3),
        "- weight(Tensor, 计算输入): 必选参数, 一个3D的Device侧Tensor输入，矩阵计算的右矩阵。",
    ),
    Row(
        _TRANSPOSE,
        "dimensions of bias",
        Ranks(("bias",), 1, 1),
        "- bias(Tensor, 计算输入): 可选参数, 一个1D的Device侧Tensor输入，矩阵计算的bias参数。",
    ),
    Row(
        _TRANSPOSE,
        "dimensions of the scale",
        Ranks(("scale",), 1, 1),
        "- scale(Tensor, 计算输入): 可选参数, 一个1D的Device侧Tensor输入，矩阵计算量化参数。",
    ),
    Row(
        _TRANSPOSE,
        "dtype of the scale",
        Dtypes(("scale",), ("int64", "uint64")),
        "数据类型支持int64、uint64，数据格式支持ND。",
    ),
)

_OF_PACK = "weight : Tensor类型, 输入的weight, 数据格式支持ND、FRACTAL_NZ, 数据类型支持int32,  不支持非连续的Tensor;"
_SHAPE_OF_PACK = (
    "维度支持2维, shape支持(k, n)、 (n, k), 最后一维度需要8个元素对齐, 元素的值需要在int4的表示范围内, 即[-8, 7]."
)

_ROWS_OF_PACK = (
    Row(_PACK, "dtype of weight", Dtypes(("weight",), ("int32",)), _OF_PACK),
    Row(_PACK, "contiguity of weight", Contiguous(("weight",)), _OF_PACK),
    Row(_PACK, "dimensions of weight", Ranks(("weight",), 2, 2), _SHAPE_OF_PACK),
    Row(_PACK, "whole packs of weight", Sizes(("weight",), -1, multiple=8), _SHAPE_OF_PACK),
    Row(_PACK, "values of four bits", Values(("weight",), least=-8, most=7), _SHAPE_OF_PACK),
)

ROWS = (*_ROWS_OF_WEIGHT, *_ROWS_OF_TRANSPOSE, *_ROWS_OF_PACK)
