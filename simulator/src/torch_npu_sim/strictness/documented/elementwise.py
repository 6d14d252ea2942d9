"""Norms, activations, rotation and quantisation of tokens."""

from torch_npu_sim.strictness.conditions import Given, Is, Not
from torch_npu_sim.strictness.demands import Dtypes, Ranks, SameDtype, SameSize, Sizes
from torch_npu_sim.strictness.demands_of_values import Rising, SameLength, Unchecked, Values
from torch_npu_sim.strictness.row import Row

_FLOAT = ("float16", "bfloat16", "float32")
_NORM = ("npu_rms_norm",)
_SWIGLU = ("npu_swiglu",)
_ROTARY = ("npu_rotary_mul",)
_DYNAMIC = ("npu_dynamic_quant",)
_STATIC = ("npu_quantize",)

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
    Row(_ROTARY, "size of heads", Sizes(("self",), -1, most=895, multiple=2), "D < 896，且为2的倍数; B, N < 1000"),
    Row(
        _ROTARY,
        "tokens or heads of halves",
        Sizes(("self",), 0, most=999),
        "D < 896，且为2的倍数; B, N < 1000",
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
        when=(Is("div_mode", False),),
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
        when=(Is("div_mode", False), Given("zero_points")),
    ),
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
    Row(_SWIGLU, "dtype", Dtypes(("self",), _FLOAT), "shape支持1-8维，dtype支持FP32、FP16或BF16类型。"),
    Row(_SWIGLU, "dimensions", Ranks(("self",), 1, 8), "shape支持1-8维，dtype支持FP32、FP16或BF16类型。"),
    *_ROWS_OF_ROTARY,
    *_ROWS_OF_DYNAMIC,
    *_ROWS_OF_STATIC,
)
