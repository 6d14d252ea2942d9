"""``npu_quant_matmul`` and ``npu_grouped_matmul``: tables of dtypes, of the devices A2 and A3."""

from torch_npu_sim.strictness.call import OUTPUT
from torch_npu_sim.strictness.conditions import Is, Not, OfDtype, OfLength
from torch_npu_sim.strictness.demands import Combinations, Dtypes, Ranks, SameDtype, SizeOrOne, Sizes
from torch_npu_sim.strictness.demands_of_values import Demanded, Excluded, Length, Rising, SameLength, Total, Values
from torch_npu_sim.strictness.row import Row

_QUANT = ("npu_quant_matmul",)
_GROUPED = ("npu_grouped_matmul",)
_OF_LISTS = ("npu_grouped_matmul.List",)
_BOTH_GROUPED = (*_GROUPED, *_OF_LISTS)

_ROWS_GROUPED = Is("group_type", 0)
_ONE_TENSOR = OfLength("weight", 1)

#: Of x1, x2, scale, offset, bias, pertoken_scale and the output: the columns of the table as they stand.
_QUANT_TABLE = (
    ("int8", "int8", "int64|float32", "none", "int32|none", "none", "float16"),
    ("int8", "int8", "int64|float32", "float32|none", "int32|none", "none", "int8"),
    ("int8", "int8", "float32|bfloat16", "none", "int32|bfloat16|float32|none", "float32|none", "bfloat16"),
    ("int8", "int8", "float32", "none", "int32|float16|float32|none", "float32", "float16"),
    ("int32", "int32", "int64|float32", "none", "int32|none", "none", "float16"),
    ("int8", "int8", "float32|bfloat16", "none", "int32|none", "none", "int32"),
)

#: Of x, weight, bias, scale, antiquant_scale, per_token_scale and the output, where group_list is a tensor.
_GROUPED_TABLE = (
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

_QUANTISED = (
    Row(
        _QUANT,
        "combinations of dtypes",
        Combinations(("x1", "x2", "scale", "offset", "bias", "pertoken_scale", OUTPUT), _QUANT_TABLE),
        "bias:int32/None, int32/None, int32/bfloat16/float32/None, int32/float16/float32/None, int32/None, int32/None",
    ),
    Row(
        _QUANT,
        "dimensions of factors",
        Ranks(("x1", "x2"), 2, 6),
        "x1: Tensor类型, 数据格式支持ND, shape需要在2-6维范围.",
    ),
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
    Row(
        _QUANT,
        "dimensions of the tokens' scale",
        Ranks(("pertoken_scale",), 1, 1),
        "数据类型支持float32. shape需要是1维(m,), 其中m与x1的m一致.",
    ),
    Row(
        _QUANT,
        "a scale for each token",
        SizeOrOne("pertoken_scale", 0, "x1", -2),
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
        "dimensions of the bias",
        Ranks(("bias",), 1, 3),
        "bias: Tensor类型, 可选参数, 数据格式支持ND, shape支持1维(n,)、2维(1, n)或3维(batch, 1, n)",
    ),
    Row(
        _QUANT,
        "offset beside int8 alone",
        Dtypes(("x1",), ("int8",)),
        "当x1数据类型为int8时, 才支持该参数.",
        when=(Not(Is("offset", None)),),
    ),
)

_GROUPS = (
    Row(
        _GROUPED,
        "combinations of dtypes",
        Combinations(("x", "weight", "bias", "scale", "antiquant_scale", "per_token_scale", OUTPUT), _GROUPED_TABLE),
        "scale: torch.bfloat16, torch.float32\n",
    ),
    Row(
        _OF_LISTS,
        "combinations of dtypes",
        Combinations(("x", "weight", "bias", "scale", "antiquant_scale", OUTPUT), _LIST_TABLE),
        "scale: torch.int64\n",
    ),
    Row(
        _BOTH_GROUPED,
        "dimensions of x",
        Ranks(("x",), 2, 2),
        "当split_item=0时, 张量支持2至6维输入; 其他情况下, 张量仅支持2维输入.",
        when=(Not(Is("split_item", 0, None)),),
    ),
    Row(
        _BOTH_GROUPED,
        "dimensions of x of several tensors",
        Ranks(("x",), 2, 6),
        "当split_item=0时, 张量支持2至6维输入; 其他情况下, 张量仅支持2维输入.",
        when=(Is("split_item", 0),),
    ),
    Row(_BOTH_GROUPED, "dimensions of weights", Ranks(("weight",), 2, 3), "每个张量支持2维或3维输入."),
    Row(_BOTH_GROUPED, "number of tensors of x", Length("x", most=128), "列表最大长度为128."),
    Row(_BOTH_GROUPED, "number of weights", Length("weight", most=128), "列表最大长度为128."),
    Row(_BOTH_GROUPED, "as many biases as weights", SameLength("bias", "weight"), "列表长度与weight列表长度相同."),
    Row(_BOTH_GROUPED, "as many scales as weights", SameLength("scale", "weight"), "列表长度与weight列表长度相同."),
    Row(
        _BOTH_GROUPED,
        "as many scales of weights as weights",
        SameLength("antiquant_scale", "weight"),
        "列表长度与weight列表长度相同.",
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
        "数据类型支持torch.float32.\n列表长度与x列表长度相同.",
    ),
    Row(
        _OF_LISTS,
        "no scales of tokens",
        Excluded(("per_token_scale",)),
        "group_list输入类型为List[int]时, 当前只支持传入None.",
    ),
    Row(
        _BOTH_GROUPED,
        "no offset",
        Excluded(("offset",)),
        "offset (List[torch.Tensor]): 用于调整量化后的数值偏移量, 从而更准确地表示原始浮点数值, 对应公式(2). 当前仅支持传入None.",
    ),
    Row(
        _BOTH_GROUPED,
        "no input of an activation",
        Excluded(("activation_input", "activation_quant_scale", "activation_quant_offset")),
        "activation_input (List[torch.Tensor]): 代表激活函数的反向输入, 当前仅支持传入None.",
    ),
    Row(_GROUPED, "axis of groups", Values(("group_type",), among=(-1, 0)), "当前支持取-1、0."),
    Row(
        _GROUPED,
        "kind of groups",
        Values(("group_list_type",), among=(0, 1)),
        "可取值0或1, 0代表group_list_type中数值为分组轴大小的cumsum结果(累积和), 1代表group_list_type中数值为分组轴上每组大小.",
    ),
    Row(_GROUPED, "activation", Values(("act_type",), among=(0, 1, 2, 4, 5)), "3代表暂不支持"),
    Row(_GROUPED, "dtype of groups", Dtypes(("group_list",), ("int64",)), "数据类型支持torch.int64."),
    Row(
        _GROUPED,
        "groups of rows are given",
        Demanded(("group_list",)),
        "必须传group_list, 且当group_list_type为0时, 最后一个值与x中tensor的第一维相等",
        when=(_ROWS_GROUPED, _ONE_TENSOR),
    ),
    Row(
        _GROUPED,
        "counts add up to the rows",
        Total("group_list", "x", 0),
        "当group_list_type为1时, 数值的总和与x中tensor的第一维相等",
        when=(_ROWS_GROUPED, Is("group_list_type", 1), OfLength("x", 1)),
    ),
    Row(
        _GROUPED,
        "sums of counts end with the rows",
        Total("group_list", "x", 0, sums=True),
        "必须传group_list, 且当group_list_type为0时, 最后一个值与x中tensor的第一维相等",
        when=(_ROWS_GROUPED, Is("group_list_type", 0), OfLength("x", 1)),
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
        _GROUPED,
        "number of groups",
        Length("group_list", most=1024),
        "group_list第1维最大支持1024, 即最多支持1024个group.",
        when=(_ROWS_GROUPED, _ONE_TENSOR),
    ),
    Row(
        _GROUPED,
        "one output of groups of rows",
        Values(("split_item",), among=(2, 3)),
        "仅支持split_item为2或3. weight中tensor需为3维, x、y中tensor需为2维.",
        when=(_ROWS_GROUPED,),
    ),
    Row(
        _GROUPED,
        "one weight of groups of rows",
        Ranks(("weight",), 3, 3),
        "仅支持split_item为2或3. weight中tensor需为3维, x、y中tensor需为2维.",
        when=(_ROWS_GROUPED, _ONE_TENSOR, OfLength("x", 1)),
    ),
    Row(
        _BOTH_GROUPED,
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
        _BOTH_GROUPED,
        "one dtype of scales and offsets of weights",
        SameDtype(("antiquant_scale", "antiquant_offset")),
        "每个张量输入维度和antiquant_scale输入维度一致.",
    ),
)

ROWS = (*_QUANTISED, *_GROUPS)
