"""``npu_grouped_matmul``: tables of dtypes, of the devices A2 and A3, and what goes for lists of tensors and groups.

The number of outputs, which the document's cases go by, is told by ``split_item``.
"""

from torch_npu_sim.strictness.call import OUTPUT
from torch_npu_sim.strictness.conditions import Given, Is, Not, OfDtype, OfLength, OfRank, Transposed
from torch_npu_sim.strictness.demands import Combinations, Dtypes, Ranks, SameDtype, Sizes
from torch_npu_sim.strictness.demands_of_shapes import SameRank
from torch_npu_sim.strictness.demands_of_values import Excluded, Length, Multiple, Rising, SameLength, Values
from torch_npu_sim.strictness.row import Row

_GROUPED = ("npu_grouped_matmul",)
_OF_LISTS = ("npu_grouped_matmul.List",)
_BOTH = (*_GROUPED, *_OF_LISTS)

_SEVERAL_WEIGHTS = Not(OfLength("weight", 1))

#: Of x, weight, bias, scale, antiquant_scale, per_token_scale and the output, where group_list is a tensor.
_TABLE = (
    ("float16", "float16", "float16|none", "none", "none", "none", "float16"),
    ("bfloat16", "bfloat16", "float32|none", "none", "none", "none", "bfloat16"),
    ("float32", "float32", "float32|none", "none", "none", "none", "float32"),
    ("int8", "int8", "int32|none", "int64", "none", "none", "int8"),
    ("int8", "int8", "int32|none", "bfloat16", "none", "none", "bfloat16"),
    ("int8", "int8", "int32|none", "float32", "none", "none", "float16"),
    ("int8", "int8", "int32|none", "bfloat16", "none", "float32", "bfloat16"),
    ("int8", "int8", "int32|none", "float32", "none", "float32", "float16"),
    # Values of four bits come eight an int32.
    ("float16", "int8|int32", "float16|none", "none", "float16", "none", "float16"),
    ("bfloat16", "int8|int32", "float32|none", "none", "bfloat16", "none", "bfloat16"),
)

#: The same where group_list is a list of numbers.
_LIST_TABLE = (
    ("float16", "float16", "float16|none", "none", "none", "float16"),
    ("bfloat16", "bfloat16", "float32|none", "none", "none", "bfloat16"),
    ("float32", "float32", "float32|none", "none", "none", "float32"),
    ("int8", "int8", "int32|none", "int64", "none", "int8"),
    ("float16", "int8", "float16|none", "none", "float16", "float16"),
    ("bfloat16", "int8", "float32|none", "none", "bfloat16", "bfloat16"),
)

_PER_GROUP = "若为per-group, per-group数G或Gi必须要能整除对应的ki."
_OF_INT8 = "伪量化场景, 若weight的类型为torch.int8, 仅支持per-channel模式;"

_SCALES = (
    Row(_BOTH, "as many biases as weights", SameLength("bias", "weight"), "列表长度与weight列表长度相同."),
    Row(
        _BOTH,
        "dimensions of biases",
        Ranks(("bias",), 1, 1),
        "Atlas 推理系列产品: torch.float16.\n列表长度与weight列表长度相同.\n每个张量仅支持1维输入.",
    ),
    Row(_BOTH, "as many scales as weights", SameLength("scale", "weight"), "列表长度与weight列表长度相同."),
    Row(
        _BOTH,
        "dimensions of scales",
        Ranks(("scale",), 1, 1),
        "Atlas A2 训练系列产品/Atlas 800I A2 推理产品每个张量仅支持1维输入.",
    ),
    Row(
        _BOTH,
        "as many scales of weights as weights",
        SameLength("antiquant_scale", "weight"),
        "列表长度与weight列表长度相同.",
    ),
    Row(
        _BOTH,
        "scales of columns of one weight of int8",
        Ranks(("antiquant_scale",), 2, 2),
        _OF_INT8,
        when=(OfDtype("weight", "int8"), OfLength("weight", 1)),
    ),
    Row(
        _BOTH,
        "scales of columns of weights of int8",
        Ranks(("antiquant_scale",), 1, 1),
        _OF_INT8,
        when=(OfDtype("weight", "int8"), _SEVERAL_WEIGHTS),
    ),
    Row(
        _GROUPED,
        "groups of rows of a weight of four bits",
        Multiple("x", "antiquant_scale", dimension=-1, of_dimension=-2),
        _PER_GROUP,
        when=(OfDtype("weight", "int32"), OfRank("antiquant_scale", 3), OfLength("x", 1)),
    ),
    Row(
        _GROUPED,
        "rows of a group of a transposed weight of four bits",
        Multiple("x", "antiquant_scale", dimension=-1, of_dimension=-2, even=True),
        "并且在per-group场景下, 当weight转置时, 要求per-group长度si是偶数.",
        when=(OfDtype("weight", "int32"), OfRank("antiquant_scale", 3), OfLength("x", 1), Transposed("weight")),
    ),
    Row(
        _BOTH,
        "one dtype of scales and offsets of weights",
        SameDtype(("antiquant_scale", "antiquant_offset")),
        "antiquant_offset: torch.float16, torch.bfloat16\n",
    ),
    Row(
        _BOTH,
        "dimensions of offsets of weights",
        SameRank(("antiquant_scale", "antiquant_offset")),
        "每个张量输入维度和antiquant_scale输入维度一致.",
    ),
    Row(
        _GROUPED,
        "dtype of the scales of tokens",
        Dtypes(("per_token_scale",), ("float32",)),
        "Atlas A2 训练系列产品/Atlas 800I A2 推理产品: 数据类型支持torch.float32.",
    ),
    Row(
        _GROUPED,
        "as many scales of tokens as tensors of x",
        SameLength("per_token_scale", "x"),
        "列表长度与x列表长度相同.",
    ),
    Row(
        _GROUPED,
        "dimensions of the scales of tokens",
        Ranks(("per_token_scale",), 1, 1),
        "列表长度与x列表长度相同.\nAtlas A2 训练系列产品/Atlas 800I A2 推理产品: 每个张量仅支持1维输入.",
    ),
    Row(
        _OF_LISTS,
        "no scales of tokens",
        Excluded(("per_token_scale",)),
        "group_list输入类型为List[int]时, 当前只支持传入None.",
    ),
)

ROWS = (
    Row(
        _GROUPED,
        "combinations of dtypes",
        Combinations(("x", "weight", "bias", "scale", "antiquant_scale", "per_token_scale", OUTPUT), _TABLE),
        "scale: torch.bfloat16, torch.float32\n",
    ),
    Row(
        _OF_LISTS,
        "combinations of dtypes",
        Combinations(("x", "weight", "bias", "scale", "antiquant_scale", OUTPUT), _LIST_TABLE),
        "scale: torch.int64\n",
    ),
    Row(
        _BOTH,
        "dimensions of x",
        Ranks(("x",), 2, 2),
        "当split_item=0时, 张量支持2至6维输入; 其他情况下, 张量仅支持2维输入.",
        when=(Not(Is("split_item", 0, None)),),
    ),
    Row(
        _BOTH,
        "dimensions of x of several tensors",
        Ranks(("x",), 2, 6),
        "当split_item=0时, 张量支持2至6维输入; 其他情况下, 张量仅支持2维输入.",
        when=(Is("split_item", 0),),
    ),
    Row(_BOTH, "dimensions of weights", Ranks(("weight",), 2, 3), "每个张量支持2维或3维输入."),
    Row(_BOTH, "number of tensors of x", Length("x", most=128), "列表最大长度为128."),
    Row(_BOTH, "number of weights", Length("weight", most=128), "列表最大长度为128."),
    *_SCALES,
    Row(
        _BOTH,
        "no offset",
        Excluded(("offset",)),
        "offset (List[torch.Tensor]): 用于调整量化后的数值偏移量, 从而更准确地表示原始浮点数值, 对应公式(2). 当前仅支持传入None.",
    ),
    Row(
        _BOTH,
        "no input of an activation",
        Excluded(("activation_input",)),
        "activation_input (List[torch.Tensor]): 代表激活函数的反向输入, 当前仅支持传入None.",
    ),
    Row(
        _BOTH,
        "no scale of an activation",
        Excluded(("activation_quant_scale",)),
        "activation_quant_scale (List[torch.Tensor]): 预留参数, 当前只支持传入None.",
    ),
    Row(
        _BOTH,
        "no offset of an activation",
        Excluded(("activation_quant_offset",)),
        "activation_quant_offset (List[torch.Tensor]): 预留参数, 当前只支持传入None.",
    ),
    Row(_GROUPED, "axis of groups", Values(("group_type",), among=(-1, 0)), "当前支持取-1、0."),
    Row(
        _OF_LISTS,
        "no axis of groups of a list",
        Excluded(("group_type",)),
        "group_list输入类型为List[int]时仅支持传入None.",
        when=(Given("group_list"),),
    ),
    Row(
        _OF_LISTS,
        "no activation, and no kind of groups, of a list",
        # The schema's own default is 0 in place of None.
        Values(("group_list_type", "act_type"), among=(0,)),
        "group_list输入类型为List[int]时仅支持传入None.",
        when=(Given("group_list"),),
    ),
    Row(
        _GROUPED,
        "kind of groups",
        Values(("group_list_type",), among=(0, 1)),
        "可取值0或1, 0代表group_list_type中数值为分组轴大小的cumsum结果(累积和), 1代表group_list_type中数值为分组轴上每组大小.",
    ),
    Row(_GROUPED, "activation", Values(("act_type",), among=(0, 1, 2, 4, 5)), "3代表暂不支持"),
    Row(
        _GROUPED,
        "activations there are",
        Values(("act_type",), least=0, most=5),
        "Atlas A2 训练系列产品/Atlas 800I A2 推理产品: 取值范围为0-5.",
    ),
    Row(_GROUPED, "dtype of groups", Dtypes(("group_list",), ("int64",)), "数据类型支持torch.int64."),
    Row(
        _GROUPED,
        "dimensions of groups",
        Ranks(("group_list",), 1, 1),
        "和Atlas A2 训练系列产品/Atlas 800I A2 推理产品: 每个张量仅支持1维输入, 长度与weight列表长度相同.",
    ),
    Row(
        _BOTH,
        "a group for each of several weights",
        SameLength("group_list", "weight"),
        "和Atlas A2 训练系列产品/Atlas 800I A2 推理产品: 每个张量仅支持1维输入, 长度与weight列表长度相同.",
        when=(_SEVERAL_WEIGHTS,),
    ),
    Row(
        _GROUPED,
        "counts are not negative",
        Values(("group_list",), least=0),
        "当group_list_type为1时, group_list必须为非负数列, 且长度不能为1.",
    ),
    Row(
        _GROUPED,
        "two counts or more",
        Length("group_list", least=2),
        "当group_list_type为1时, group_list必须为非负数列, 且长度不能为1.",
        when=(Is("group_list_type", 1),),
    ),
    Row(
        _GROUPED,
        "sums of counts do not fall",
        Rising("group_list"),
        "当group_list_type为0时, group_list必须为非负单调非递减数列.",
        when=(Is("group_list_type", 0),),
    ),
    Row(
        _BOTH,
        "inner dimensions",
        Sizes(("x", "weight"), -1, most=65535),
        "x和weight中每一组tensor的最后一维大小都应小于InnerLimit.",
    ),
    Row(
        _OF_LISTS,
        "sums of counts of a list do not fall",
        Rising("group_list"),
        "group_list输入类型为List[int]时, 配置值必须为非负递增数列, 且长度不能为1.",
    ),
    Row(
        _OF_LISTS,
        "two groups of a list or more",
        Length("group_list", least=2),
        "group_list输入类型为List[int]时, 配置值必须为非负递增数列, 且长度不能为1.",
    ),
    Row(
        _OF_LISTS,
        "counts of a list are not negative",
        Values(("group_list",), least=0),
        "group_list输入类型为List[int]时, 配置值必须为非负递增数列, 且长度不能为1.",
    ),
)
