"""Norms that end in integers: ``npu_add_rms_norm_dynamic_quant`` and ``npu_add_rms_norm_quant``."""

from torch_npu_sim.strictness.conditions import Given, Is, Not
from torch_npu_sim.strictness.demands import Dtypes, Elements, Ranks, SameDtype, SameShape, SameSize
from torch_npu_sim.strictness.demands_of_shapes import NotAbove
from torch_npu_sim.strictness.demands_of_values import Demanded, Excluded, Length, NoZeros, Values
from torch_npu_sim.strictness.row import Row

_DYNAMIC = ("npu_add_rms_norm_dynamic_quant",)
_STATIC = ("npu_add_rms_norm_quant",)

_HALF = ("float16", "bfloat16")
# Places in c10's list of scalar types.
_INT8, _QUINT4X2 = 1, 16

_INPUT = "shape支持2-8维，数据类型支持FLOAT16、BFLOAT16，格式支持ND。"
_GAMMA = "shape为1维，需与x1最后一维一致，数据类型与x1一致。"
_LIKE_GAMMA = "可选，shape和数据类型与gamma一致。"
_LIKE_GAMMA_BESIDE = "可选，shape和数据类型与gamma一致，需与smooth_scale1配合使用。"
_MASK = "output_mask: 数组，表示输出的掩码，数据类型支持BOOL，支持空指针，或长度为2的数组"

_ROWS_OF_DYNAMIC = (
    Row(_DYNAMIC, "dtype of inputs", Dtypes(("x1", "x2"), _HALF), _INPUT),
    Row(_DYNAMIC, "dimensions of inputs", Ranks(("x1", "x2"), 2, 8), _INPUT),
    Row(
        _DYNAMIC,
        "inputs are not empty",
        Elements(("x1", "x2", "gamma", "smooth_scale1", "smooth_scale2"), least=1),
        "格式支持ND。不支持空Tensor。",
    ),
    Row(
        _DYNAMIC,
        "beta is not empty",
        Elements(("beta",), least=1),
        "beta: Tensor类型，归一化偏置项。可选，shape和数据类型与gamma一致。不支持空Tensor\n",
    ),
    Row(_DYNAMIC, "dtype of gamma", SameDtype(("gamma", "x1")), _GAMMA),
    Row(_DYNAMIC, "dimensions of gamma", Ranks(("gamma",), 1, 1), _GAMMA),
    Row(_DYNAMIC, "size of gamma", SameSize("gamma", 0, "x1", -1), _GAMMA),
    Row(_DYNAMIC, "dtype of smooth_scale1", SameDtype(("smooth_scale1", "gamma")), _LIKE_GAMMA),
    Row(_DYNAMIC, "shape of smooth_scale1", SameShape(("smooth_scale1", "gamma")), _LIKE_GAMMA),
    Row(_DYNAMIC, "dtype of smooth_scale2", SameDtype(("smooth_scale2", "gamma")), _LIKE_GAMMA_BESIDE),
    Row(_DYNAMIC, "shape of smooth_scale2", SameShape(("smooth_scale2", "gamma")), _LIKE_GAMMA_BESIDE),
    Row(_DYNAMIC, "dtype of beta", SameDtype(("beta", "gamma")), _LIKE_GAMMA),
    Row(_DYNAMIC, "shape of beta", SameShape(("beta", "gamma")), _LIKE_GAMMA),
    Row(_DYNAMIC, "an entry of the mask for either output", Length("output_mask", least=2, most=2), _MASK),
    Row(
        _DYNAMIC,
        "dtype of outputs",
        Values(("y_dtype",), among=(_INT8, _QUINT4X2)),
        "None或torch.int8表示INT8（默认），shape与x1一致；",
    ),
    Row(
        _DYNAMIC,
        "output of smooth_scale1",
        Excluded(("smooth_scale1",)),
        "当outputMaskOptional不为空时，参数smoothScale1Optional有值时，则outputMaskOptional[0]必须为True。",
        when=(Is("output_mask", [False, True], [False, False]),),
    ),
    Row(
        _DYNAMIC,
        "output of smooth_scale2",
        Excluded(("smooth_scale2",)),
        "参数smoothScale2Optional有值时，则outputMaskOptional[1]必须为True。",
        when=(Is("output_mask", [True, False], [False, False]),),
    ),
    Row(
        _DYNAMIC,
        "one output or both",
        Excluded(("output_mask",)),
        "当outputMaskOptional不为空时，outputMaskOptional[0]与outputMaskOptional[1]不能同时为False。",
        when=(Is("output_mask", [False, False]),),
    ),
    Row(
        _DYNAMIC,
        "smooth_scale2 beside smooth_scale1",
        Demanded(("smooth_scale1",)),
        "当outputMaskOptional为空时，参数smoothScale2Optional有值时，参数smoothScale1Optional也必须有值。",
        when=(Given("smooth_scale2"), Not(Given("output_mask"))),
    ),
)

_RANKS = "shape支持1-8维。"
_INPUTS = "数据类型支持BFLOAT16、FLOAT16，数据格式支持ND，支持非连续的Tensor。"
_SCALES = "数据类型支持FLOAT32、BFLOAT16，数据格式支持ND，支持非连续的Tensor。"
_SECOND_SCALES = "数据类型支持FLOAT32、BFLOAT16，数据类型需要与scales1保持一致。"
_ZEROS = "数据类型支持INT32、BFLOAT16，数据格式支持ND，支持非连续的Tensor。"
_SECOND_ZEROS = "数据类型支持INT32、BFLOAT16，数据类型需要与zero_points1保持一致。"
_SHAPE_OF_GAMMA = "shape支持1-8维，shape需要与x1需要Norm的维度一致。"
_SHAPE_OF_BETA = "shape支持1-8维，shape需要与gamma的shape保持一致。"
_DTYPE_OF_BETA = "数据类型支持BFLOAT16、FLOAT16，数据类型需要与gamma保持一致，数据格式支持ND，支持非连续的Tensor。"

_ROWS_OF_STATIC = (
    Row(_STATIC, "dimensions of inputs", Ranks(("x1", "x2"), 1, 8), _RANKS),
    Row(_STATIC, "dtype of inputs", Dtypes(("x1", "x2", "gamma"), _HALF), _INPUTS),
    Row(_STATIC, "inputs are not empty", Elements(("x1", "x2", "gamma"), least=1), "不支持空tensor。"),
    Row(_STATIC, "one dtype of inputs", SameDtype(("x1", "x2")), "数据格式、数据类型均需要与入参x1保持一致。"),
    Row(_STATIC, "dimensions of gamma", Ranks(("gamma",), 1, 8), _SHAPE_OF_GAMMA),
    Row(_STATIC, "size of gamma", SameSize("gamma", -1, "x1", -1), _SHAPE_OF_GAMMA),
    Row(_STATIC, "dtype of gamma", SameDtype(("gamma", "x1")), "数据类型需要与入参x1保持一致。不支持空tensor。"),
    Row(_STATIC, "dtype of scales1", Dtypes(("scales1",), ("float32", "bfloat16")), _SCALES),
    Row(_STATIC, "shape of scales1", SameShape(("scales1", "gamma")), "shape需要与gamma保持一致。"),
    Row(
        _STATIC,
        "no division by 0",
        NoZeros(("scales1", "scales2")),
        "当参数divMode的值为True时，该参数的值不能为0。",
        when=(Is("div_mode", True),),
    ),
    Row(_STATIC, "dtype of zero_points1", Dtypes(("zero_points1",), ("int32", "bfloat16")), _ZEROS),
    Row(_STATIC, "shape of zero_points1", SameShape(("zero_points1", "gamma")), "shape需要与gamma保持一致。"),
    Row(_STATIC, "dimensions of beta", Ranks(("beta",), 1, 8), _SHAPE_OF_BETA),
    Row(_STATIC, "shape of beta", SameShape(("beta", "gamma")), _SHAPE_OF_BETA),
    Row(_STATIC, "dtypes of beta", Dtypes(("beta",), _HALF), _DTYPE_OF_BETA),
    Row(_STATIC, "dtype of beta", SameDtype(("beta", "gamma")), _DTYPE_OF_BETA),
    Row(_STATIC, "dtypes of scales2", Dtypes(("scales2",), ("float32", "bfloat16")), _SECOND_SCALES),
    Row(_STATIC, "dtype of scales2", SameDtype(("scales2", "scales1")), _SECOND_SCALES),
    Row(_STATIC, "shape of scales2", SameShape(("scales2", "gamma")), "shape需要与gamma保持一致。"),
    Row(_STATIC, "dtypes of zero_points2", Dtypes(("zero_points2",), ("int32", "bfloat16")), _SECOND_ZEROS),
    Row(_STATIC, "dtype of zero_points2", SameDtype(("zero_points2", "zero_points1")), _SECOND_ZEROS),
    Row(_STATIC, "shape of zero_points2", SameShape(("zero_points2", "gamma")), "shape需要与gamma保持一致。"),
    Row(
        _STATIC,
        "axes that there are",
        NotAbove("axis", "x1"),
        "axis：Host侧的整型，表示需要进行量化的elewise轴，其他的轴做broadcast，指定的轴不能超过输入x的维度数。",
    ),
)

ROWS = (*_ROWS_OF_DYNAMIC, *_ROWS_OF_STATIC)
