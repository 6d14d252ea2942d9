"""``npu_grouped_matmul``: the cases of one or several tensors of x, weight and output, as the document numbers them."""

from torch_npu_sim.strictness.conditions import Given, Is, Not, OfLength, OfRank
from torch_npu_sim.strictness.demands import Ranks
from torch_npu_sim.strictness.demands_of_shapes import Layout, OneSize, SameRank
from torch_npu_sim.strictness.demands_of_values import Demanded, Excluded, Length, Total, Values
from torch_npu_sim.strictness.row import Row

_GROUPED = ("npu_grouped_matmul",)
_OF_LISTS = ("npu_grouped_matmul.List",)

_ROWS_GROUPED = Is("group_type", 0)
_NOT_GROUPED = Is("group_type", -1)
_ONE_X = OfLength("x", 1)
_ONE_WEIGHT = OfLength("weight", 1)
_SEVERAL_X = Not(_ONE_X)
_SEVERAL_WEIGHTS = Not(_ONE_WEIGHT)
_ONE_OUTPUT = Is("split_item", 2, 3)
_SEVERAL_OUTPUTS = Is("split_item", 0, 1, None)

_OF_LISTS_ALL_SEVERAL = "多多多: 仅支持split_item为0或1. x中tensor要求维度一致, 支持2-6维, weight中tensor需为2维"
_OF_LISTS_ONE_X = "单多单: 仅支持split_item为2或3. 必须传group_list, 且最后一个值与x中tensor的第一维相等. x、weight、y中tensor需为2维. weight中每个tensor的N轴必须相等."
_OF_LISTS_SEVERAL_OUTPUTS = "单多多: 仅支持split_item为0或1. 必须传group_list, group_list的差值需与y中tensor的第一维一一对应. x、weight、y中tensor需为2维."
_OF_LISTS_ONE_OUTPUT = "多多单: 仅支持split_item为2或3. x、weight、y中tensor需为2维. weight中每个tensor的N轴必须相等."
_NO_GROUPS = "-1: 仅支持split_item为0或1. x中tensor要求维度一致, 支持2-6维, weight中tensor需为2维"
_ONE_OF_ALL = "仅支持split_item为2或3. weight中tensor需为3维, x、y中tensor需为2维."
_SUMS = "必须传group_list, 且当group_list_type为0时, 最后一个值与x中tensor的第一维相等"
_WEIGHTS = "0: 仅支持split_item为2或3. 必须传group_list, 且当group_list_type为0时, 最后一个值与x中tensor的第一维相等, 当group_list_type为1时, 数值的总和与x中tensor的第一维相等, 长度最大为128. x、weight、y中tensor需为2维. weight中每个tensor的N轴必须相等."
_SEVERAL_OF_X = (
    "0:  仅支持split_item为2或3. x、weight、y中tensor需为2维. weight中每个tensor的N轴必须相等. 若传入group_list"
)

_LISTS = (
    Row(
        _OF_LISTS,
        "dimensions of several weights of a list",
        Ranks(("weight",), 2, 2),
        _OF_LISTS_ALL_SEVERAL,
        when=(_SEVERAL_WEIGHTS,),
    ),
    Row(_OF_LISTS, "equally many dimensions of x of a list", SameRank(("x",)), _OF_LISTS_ALL_SEVERAL),
    Row(
        _OF_LISTS,
        "no groups of x of many dimensions",
        Excluded(("group_list",)),
        "x中tensor大于2维, group_list必须传空.",
        when=(OfRank("x", 3, 4, 5, 6),),
    ),
    Row(
        _OF_LISTS,
        "groups of one x of a list are given",
        Demanded(("group_list",)),
        _OF_LISTS_ONE_X,
        when=(_ONE_X, _SEVERAL_WEIGHTS),
    ),
    Row(
        _OF_LISTS,
        "sums of counts of a list end with the rows",
        Total("group_list", "x", 0, sums=True),
        _OF_LISTS_ONE_X,
        when=(_ONE_X, _SEVERAL_WEIGHTS, _ONE_OUTPUT),
    ),
    Row(
        _OF_LISTS,
        "dimensions of one x of a list",
        Ranks(("x",), 2, 2),
        _OF_LISTS_SEVERAL_OUTPUTS,
        when=(_ONE_X, _SEVERAL_WEIGHTS, _SEVERAL_OUTPUTS),
    ),
    Row(
        _OF_LISTS,
        "columns of weights of a list with one output",
        OneSize(("weight",), -1),
        _OF_LISTS_ONE_OUTPUT,
        when=(_ONE_OUTPUT,),
    ),
)

_WITHOUT_GROUPS = (
    Row(
        _GROUPED,
        "an output for each weight without groups",
        Values(("split_item",), among=(0, 1)),
        _NO_GROUPS,
        when=(_NOT_GROUPED,),
    ),
    Row(_GROUPED, "equally many dimensions of x", SameRank(("x",)), _NO_GROUPS, when=(_NOT_GROUPED,)),
    Row(_GROUPED, "dimensions of weights without groups", Ranks(("weight",), 2, 2), _NO_GROUPS, when=(_NOT_GROUPED,)),
    Row(
        _GROUPED,
        "no counts without groups",
        Excluded(("group_list",)),
        "group_list必须传空. 支持weight转置, 但weight中每个tensor是否转置需保持统一. x不支持转置.",
        when=(_NOT_GROUPED,),
    ),
)

_OF_ROWS = (
    Row(
        _GROUPED,
        "groups of rows are given",
        Demanded(("group_list",)),
        _SUMS,
        when=(_ROWS_GROUPED, _ONE_X),
    ),
    Row(
        _GROUPED,
        "counts add up to the rows",
        Total("group_list", "x", 0),
        "当group_list_type为1时, 数值的总和与x中tensor的第一维相等",
        when=(_ROWS_GROUPED, Is("group_list_type", 1), _ONE_X),
    ),
    Row(
        _GROUPED,
        "sums of counts end with the rows",
        Total("group_list", "x", 0, sums=True),
        _SUMS,
        when=(_ROWS_GROUPED, Is("group_list_type", 0), _ONE_X),
    ),
    Row(
        _GROUPED,
        "number of groups",
        Length("group_list", most=1024),
        "group_list第1维最大支持1024, 即最多支持1024个group.",
        when=(_ROWS_GROUPED, _ONE_WEIGHT),
    ),
    Row(
        _GROUPED,
        "one output of groups of rows",
        Values(("split_item",), among=(2, 3)),
        _ONE_OF_ALL,
        when=(_ROWS_GROUPED,),
    ),
    Row(
        _GROUPED,
        "one weight of groups of rows",
        Ranks(("weight",), 3, 3),
        _ONE_OF_ALL,
        when=(_ROWS_GROUPED, _ONE_WEIGHT, _ONE_X),
    ),
    Row(
        _GROUPED,
        "number of groups of several weights",
        Length("group_list", most=128),
        _WEIGHTS,
        when=(_ROWS_GROUPED, _SEVERAL_WEIGHTS),
    ),
    Row(
        _GROUPED,
        "dimensions of several weights of groups of rows",
        Ranks(("weight",), 2, 2),
        _WEIGHTS,
        when=(_ROWS_GROUPED, _SEVERAL_WEIGHTS),
    ),
    Row(
        _GROUPED,
        "columns of several weights of one x",
        OneSize(("weight",), -1),
        _WEIGHTS,
        when=(_ROWS_GROUPED, _SEVERAL_WEIGHTS, _ONE_X),
    ),
    Row(
        _GROUPED,
        "columns of several weights of several x",
        OneSize(("weight",), -1),
        _SEVERAL_OF_X,
        when=(_ROWS_GROUPED, _SEVERAL_WEIGHTS, _SEVERAL_X),
    ),
    Row(
        _GROUPED,
        "x is not transposed",
        Layout(("x",), transposed=False),
        "支持weight转置. x不支持转置.",
        when=(Given("group_type"),),
    ),
)

ROWS = (*_LISTS, *_WITHOUT_GROUPS, *_OF_ROWS)
