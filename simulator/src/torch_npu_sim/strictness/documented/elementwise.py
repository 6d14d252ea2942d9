"""Norms, activations, rotation and quantisation of tokens."""

from torch_npu_sim.strictness.conditions import Given, Is, Not, OfRank
from torch_npu_sim.strictness.demands import Contiguous, Dtypes, Ranks, SameDtype, SameShape, SameSize, SizeOrOne, Sizes
from torch_npu_sim.strictness.demands_of_shapes import NotAbove, SameRank
from torch_npu_sim.strictness.demands_of_values import Rising, SameLength, Total, Unchecked, Values
from torch_npu_sim.strictness.row import Row

_FLOAT = ("float16", "bfloat16", "float32")
_NORM = ("npu_rms_norm",)
_SWIGLU = ("npu_swiglu",)
_ROTARY = ("npu_rotary_mul",)
_DYNAMIC = ("npu_dynamic_quant",)
_STATIC = ("npu_quantize",)
_CLIPPED = ("npu_clipped_swiglu",)
_GELU = ("npu_fast_gelu",)

# Places in c10's list of scalar types, which arguments that name a dtype hold.
_INT8, _INT32, _QINT8, _QUINT8, _QUINT4X2 = 1, 3, 12, 13, 16

_DST_TYPE = "支持取值torch.int8、torch.quint4x2."
_ONE_DIMENSION = "支持1维或多维(1维时, 对应轴的大小需要与input中第axis维相等或等于1;"
_SEVERAL = "多维时, scales的shape需要与input的shape维度相等, 除axis指定的维度, 其他维度为1, axis指定的维度必须和input对应的维度相等或等于1)."
_AXIS = "div_mode为False时, axis取值范围是[-2, +∞)且指定的轴不能超过输入input的维度数."
_MULTIPLIED = Is("div_mode", False)
_NEXT_TO_LAST = Is("axis", -2)

_ROWS_OF_ROTARY = (
    Row(
        _ROTARY,
        "dimensions of the input",
        Ranks(("self", "r1", "r2"), 4, 4),
        "input：必选输入，4维Tensor，数据类型float16, bfloat16, float32",
    ),
    Row(
        _ROTARY,
        "dtypes",
        Dtypes(("self", "r1", "r2"), _FLOAT),
        "input：必选输入，4维Tensor，数据类型float16, bfloat16, float32",
    ),
    Row(
        _ROTARY,
        "modes",
        Values(("rotary_mode",), among=("half", "interleave")),
        "支持'half'、'interleave'两种模式。",
    ),
    Row(_ROTARY, "size of heads", Sizes(("self",), -1, most=895, multiple=2), "D < 896，且为2的倍数;"),
    Row(
        _ROTARY,
        "tokens or heads of halves",
        Sizes(("self",), 0, most=999),
        "B, N < 1000;",
        when=(Is("rotary_mode", "half"),),
    ),
    Row(
        _ROTARY,
        "tokens times heads of pairs",
        Unchecked("the reference refuses it: which dimensions are B and N follows from r1"),
        "B * N < 1000; D < 896, 且D为2的倍数;",
    ),
    Row(
        _ROTARY,
        "dimensions of rotate",
        Ranks(("rotate",), 2, 2),
        "输入维度支持2维，数据类型支持`float16`，`bfloat16`，`float32`",
    ),
    Row(_ROTARY, "values of r1 and r2", Values(("r1", "r2"), least=-1, most=1), "r1: 数据范围：[-1, 1]"),
)

_ROWS_OF_DYNAMIC = (
    Row(
        _DYNAMIC,
        "dtype of the input",
        Dtypes(("input",), ("float16", "bfloat16")),
        "必选输入, 数据类型支持torch.float16、torch.bfloat16, 数据格式支持ND, 支持非连续的Tensor. 输入x的维度必须大于1.",
    ),
    Row(_DYNAMIC, "dimensions of the input", Ranks(("input",), 2, 8), "输入x的维度必须大于1."),
    Row(
        _DYNAMIC,
        "whole packs of four bits",
        Sizes(("input",), -1, multiple=8),
        "进行int4量化时, 要求x形状的最后一维是8的整数倍.",
        when=(Is("dst_type", _QUINT4X2),),
    ),
    Row(_DYNAMIC, "dtype of the output", Values(("dst_type",), among=(_INT8, _QUINT4X2)), _DST_TYPE),
    Row(
        _DYNAMIC,
        "dtypes of smooth_scales",
        Dtypes(("smooth_scales",), ("float16", "bfloat16")),
        "smooth_scales: Tensor类型, 对x进行scales的张量, 可选输入, 数据类型支持torch.float16、torch.bfloat16, 数据格式支持ND, 支持非连续的Tensor.",
    ),
    Row(
        _DYNAMIC,
        "dtype of smooth_scales",
        SameDtype(("input", "smooth_scales")),
        "单算子模式: smooth_scales的dtype必须和x保持一致.",
        when=(Given("smooth_scales"),),
    ),
    Row(
        _DYNAMIC,
        "size of smooth_scales",
        SameSize("smooth_scales", -1, "input", -1),
        "若不使用group_index, smooth_scales必须是一维Tensor, 元素数量与x的最后一维大小一致.",
    ),
    Row(
        _DYNAMIC,
        "dimensions of smooth_scales",
        Ranks(("smooth_scales",), 1, 1),
        "若不使用group_index, smooth_scales必须是一维Tensor, 元素数量与x的最后一维大小一致.",
        when=(Not(Given("group_index")),),
    ),
    Row(
        _DYNAMIC,
        "dimensions of smooth_scales of groups",
        Ranks(("smooth_scales",), 2, 2),
        "若使用group_index, smooth_scales必须是二维Tensor",
        when=(Given("group_index"),),
    ),
    Row(_DYNAMIC, "dtype of group_index", Dtypes(("group_index",), ("int32",)), "仅在MoE场景下生效. 数据类型支持int32"),
    Row(
        _DYNAMIC,
        "a smooth scale for each group",
        SameLength("group_index", "smooth_scales"),
        "group_index必须是一维数组, 元素数量与smooth_scales第一维一致.",
    ),
    Row(_DYNAMIC, "order of group_index", Rising("group_index"), "group_index中的元素必须是单调递增的"),
    Row(
        _DYNAMIC,
        "end of group_index",
        Total("group_index", "input", 0, sums=True),
        "其最后一个元素的值, 应等于x的元素数量除以x的最后一个维度.",
        when=(OfRank("input", 2),),
    ),
)

_ROWS_OF_STATIC = (
    Row(
        _STATIC,
        "dtype of the input",
        Dtypes(("self",), _FLOAT),
        "Atlas A2 训练系列产品/Atlas 800I A2 推理产品: 数据类型支持float、float16、bfloat16.",
    ),
    Row(
        _STATIC,
        "dtype of scales that divide",
        Dtypes(("scales",), ("float32", "bfloat16")),
        "Atlas A2 训练系列产品/Atlas 800I A2 推理产品: 数据类型支持float、bfloat16.",
        when=(Is("div_mode", True),),
    ),
    Row(
        _STATIC,
        "dtype of scales that multiply",
        Dtypes(("scales",), _FLOAT),
        "Atlas A2 训练系列产品/Atlas 800I A2 推理产品: 数据类型支持float、float16、bfloat16.",
        when=(_MULTIPLIED,),
    ),
    Row(
        _STATIC,
        "dtype of zero_points where scales divide",
        Dtypes(("zero_points",), ("int8", "uint8", "int32", "bfloat16")),
        "Atlas A2 训练系列产品/Atlas 800I A2 推理产品: 数据类型支持int8、uint8、int32、bfloat16.",
        when=(Is("div_mode", True),),
    ),
    Row(
        _STATIC,
        "dtype of zero_points where scales multiply",
        SameDtype(("zero_points", "scales")),
        "zero_points的shape和dtype需要和scales一致.",
        when=(_MULTIPLIED, Given("zero_points")),
    ),
    Row(
        _STATIC,
        "shape of zero_points where scales multiply",
        SameShape(("zero_points", "scales")),
        "zero_points的shape和dtype需要和scales一致.",
        when=(_MULTIPLIED, Given("zero_points")),
    ),
    Row(
        _STATIC,
        "whole packs of four bits",
        Sizes(("self",), -1, multiple=8),
        "div_mode为False且dtype为torch.quint4x2时, 最后一维需要能被8整除.",
        when=(_MULTIPLIED, Is("dtype", _QUINT4X2)),
    ),
    Row(
        _STATIC,
        "a scale for all columns or for each",
        SizeOrOne("scales", 0, "self", -1),
        _ONE_DIMENSION,
        when=(_MULTIPLIED, OfRank("scales", 1), Not(_NEXT_TO_LAST)),
    ),
    Row(
        _STATIC,
        "a scale for all rows or for each",
        SizeOrOne("scales", 0, "self", -2),
        _ONE_DIMENSION,
        when=(_MULTIPLIED, OfRank("scales", 1), _NEXT_TO_LAST),
    ),
    Row(
        _STATIC,
        "dimensions of scales that are several",
        SameRank(("scales", "self")),
        _SEVERAL,
        when=(_MULTIPLIED, Not(OfRank("scales", 1))),
    ),
    Row(
        _STATIC,
        "scales of several dimensions",
        SizeOrOne("scales", -1, "self", -1),
        _SEVERAL,
        when=(_MULTIPLIED, Not(OfRank("scales", 1)), Not(_NEXT_TO_LAST)),
    ),
    Row(
        _STATIC,
        "scales of columns in one row",
        Sizes(("scales",), -2, among=(1,)),
        _SEVERAL,
        when=(_MULTIPLIED, Not(OfRank("scales", 1)), Not(_NEXT_TO_LAST)),
    ),
    Row(
        _STATIC,
        "dtype of the output where scales divide",
        Values(("dtype",), among=(_INT32, _QINT8, _QUINT8)),
        "Atlas A2 训练系列产品/Atlas 800I A2 推理产品: 类型支持torch.qint8、torch.quint8、torch.int32.",
        when=(Is("div_mode", True),),
    ),
    Row(
        _STATIC,
        "dtype of the output where scales multiply",
        Values(("dtype",), among=(_QINT8, _QUINT4X2)),
        "div_mode为False时, 类型支持torch.qint8、torch.quint4x2.",
        when=(_MULTIPLIED,),
    ),
    Row(_STATIC, "axes", Values(("axis",), least=-2), _AXIS, when=(_MULTIPLIED,)),
    # Whether the number of dimensions is meant to be one too many, or to be the greatest, the document leaves open.
    Row(_STATIC, "axes that there are", NotAbove("axis", "self"), _AXIS, when=(_MULTIPLIED,)),
)

_OF_CLIPPED = (
    "数据类型支持float16、bfloat16、float32，不支持非连续的Tensor，数据格式为ND，x的维数必须大于1维，第dim轴为偶数。"
)
_GROUPS_OF_CLIPPED = "要求为1维张量，第i个元素代表第i组需要处理的x合轴后的token数量，数据类型支持int64，数据格式ND。"
#: More than any tensor has.
_MOST_DIMENSIONS = 64

_ROWS_OF_ACTIVATIONS = (
    Row(_SWIGLU, "dtype", Dtypes(("self",), _FLOAT), "shape支持1-8维，dtype支持FP32、FP16或BF16类型。"),
    Row(_SWIGLU, "dimensions", Ranks(("self",), 1, 8), "shape支持1-8维，dtype支持FP32、FP16或BF16类型。"),
    Row(_CLIPPED, "dtype of x", Dtypes(("x",), _FLOAT), _OF_CLIPPED),
    Row(_CLIPPED, "contiguity of x", Contiguous(("x",)), _OF_CLIPPED),
    Row(_CLIPPED, "dimensions of x", Ranks(("x",), 2, _MOST_DIMENSIONS), _OF_CLIPPED),
    Row(_CLIPPED, "halves of x", Sizes(("x",), -1, multiple=2), _OF_CLIPPED, when=(Is("dim", -1),)),
    Row(_CLIPPED, "dtype of groups", Dtypes(("group_index",), ("int64",)), _GROUPS_OF_CLIPPED),
    Row(_CLIPPED, "dimensions of groups", Ranks(("group_index",), 1, 1), _GROUPS_OF_CLIPPED),
    Row(
        _CLIPPED,
        "dimension that is split",
        NotAbove("dim", "x", less=1),
        "dim： int类型，可选参数，表示需要对x进行切分的维度序号，取值范围为[-x.dim(), x.dim()-1]，默认 -1。",
    ),
    Row(_GELU, "dtype", Dtypes(("self",), _FLOAT), "数据类型支持float16、float32、bfloat16."),
    Row(_GELU, "dimensions", Ranks(("self",), 0, 8), "输入最大支持8维."),
)

ROWS = (
    Row(_NORM, "dtype", Dtypes(("self", "gamma"), _FLOAT), "输入数据类型仅支持float16、bfloat16和float32。"),
    Row(_NORM, "dtype of gamma", SameDtype(("self", "gamma")), "gamma：Tensor类型，数据类型需要和self保持一致"),
    Row(
        _NORM,
        "dimensions",
        Ranks(("self",), 2, 8),
        "self：Tensor类型，支持float16、bfloat16、float32，输入shape支持2-8维。",
    ),
    Row(
        _NORM,
        "dimensions of gamma",
        Unchecked("the document's own example has a gamma of one dimension"),
        "gamma：Tensor类型，数据类型需要和self保持一致，输入shape支持2-8维",
    ),
    Row(_NORM, "size of gamma", SameSize("gamma", -1, "self", -1), "输入shape支持2-8维，通常为self的最后一维。"),
    *_ROWS_OF_ACTIVATIONS,
    *_ROWS_OF_ROTARY,
    *_ROWS_OF_DYNAMIC,
    *_ROWS_OF_STATIC,
)
