"""Routing of mixtures of experts: ``npu_moe_gating_top_k`` and ``npu_moe_init_routing_v2``."""

from torch_npu_sim.strictness.conditions import Given, Is, OfDtype
from torch_npu_sim.strictness.demands import Dtypes, Ranks, SameDtype, SameSize, Sizes
from torch_npu_sim.strictness.demands_of_shapes import NotAbove
from torch_npu_sim.strictness.demands_of_values import Excluded, Length, Rising, SizeIs, Unchecked, Values
from torch_npu_sim.strictness.row import Row

_FLOAT = ("float16", "bfloat16", "float32")
_GATE = ("npu_moe_gating_top_k",)
_SORT = ("npu_moe_init_routing_v2",)

_X_OF_GATE = "要求是一个2D的Tensor，数据类型支持`float16`、`bfloat16`、`float32`，数据格式要求为ND。支持非连续Tensor。最后一维的大小（即专家数）要求不大于`2048`。"
_BIAS_OF_GATE = "要求是1D的Tensor，要求shape值与`x`的最后一维相等。"
_IDS_OF_GATE = "要求是1D的Tensor，要求shape值与`x`的第一维相等。"
_TABLE_OF_GATE = "要求是2D的Tensor，要求shape值的最后一维与`k`相等。"

_GATING = (
    Row(_GATE, "dtype of x", Dtypes(("x",), _FLOAT), _X_OF_GATE),
    Row(_GATE, "dimensions of x", Ranks(("x",), 2, 2), _X_OF_GATE),
    Row(_GATE, "number of experts", Sizes(("x",), -1, most=2048), _X_OF_GATE),
    Row(
        _GATE,
        "dtype of the bias",
        SameDtype(("x", "bias")),
        "数据类型支持`float16`、`bfloat16`、`float32`，数据类型需要与`x`保持一致，数据格式要求为ND。",
    ),
    Row(_GATE, "dimensions of the bias", Ranks(("bias",), 1, 1), _BIAS_OF_GATE),
    Row(_GATE, "a bias for each expert", SameSize("bias", 0, "x", -1), _BIAS_OF_GATE),
    Row(
        _GATE,
        "choices of a token",
        Values(("k",), least=1),
        "要求`1 <= k <= x_shape[-1] / group_count * k_group`。",
    ),
    Row(_GATE, "groups that are kept", Values(("k_group",), least=1), "要求`1 <= k_group <= group_count`"),
    Row(_GATE, "groups that there are", NotAbove("k_group", "group_count"), "要求`1 <= k_group <= group_count`"),
    Row(
        _GATE,
        "experts in the groups that are kept",
        Unchecked("the reference refuses it: the demand is a formula of four arguments"),
        "并且`k_group * x_shape[-1] / group_count`的值要大于等于`k`。",
    ),
    Row(
        _GATE,
        "experts of a group",
        Unchecked("the reference refuses it: the demand is a formula of two arguments"),
        "能够被`group_count`整除且整除后的结果大于`2`，并且整除的结果按照`32`个数对齐后乘`group_count`的结果不大于`2048`。",
    ),
    Row(_GATE, "order of norm and choice", Values(("renorm",), among=(0,)), "当前仅支持`0`。"),
    Row(
        _GATE,
        "kinds of norm",
        Values(("norm_type",), among=(0, 1)),
        "`1`表示使用Sigmoid函数，`0`表示Softmax函数。",
    ),
    Row(
        _GATE,
        "scores of groups",
        Values(("group_select_mode",), among=(0, 1)),
        "默认值为`0`，`0`表示组内取最大值，作为专家组得分；`1`表示取组内Top2的专家进行得分累加，作为专家组得分。",
    ),
    Row(
        _GATE,
        "dtype of ids",
        Dtypes(("input_ids", "tid2eid"), ("int32", "int64")),
        "数据类型支持`int32`、`int64`，数据格式要求为ND。",
    ),
    Row(_GATE, "dimensions of ids", Ranks(("input_ids",), 1, 1), _IDS_OF_GATE),
    Row(_GATE, "an id for each token", SameSize("input_ids", 0, "x", 0), _IDS_OF_GATE),
    Row(_GATE, "dimensions of the experts of ids", Ranks(("tid2eid",), 2, 2), _TABLE_OF_GATE),
    Row(_GATE, "experts of an id", SizeIs("tid2eid", -1, "k"), _TABLE_OF_GATE),
)

_SORTING = (
    Row(
        _SORT,
        "dtype of x",
        Dtypes(("x",), (*_FLOAT, "int8")),
        "数据类型支持float16、bfloat16、float32、int8，数据格式要求为ND。",
    ),
    Row(
        _SORT,
        "dimensions of x",
        Ranks(("x",), 2, 2),
        "表示MoE的输入即token特征输入，要求为2D的Tensor，shape为(NUM_ROWS, H)",
    ),
    Row(
        _SORT,
        "dtype of experts",
        Dtypes(("expert_idx",), ("int32",)),
        "且专家id不能超过专家数。数据类型支持int32，数据格式要求为ND。",
    ),
    Row(
        _SORT,
        "dimensions of experts",
        Ranks(("expert_idx",), 2, 2),
        "要求是2D的Tensor，shape为(NUM_ROWS, K)，且专家id不能超过专家数。",
    ),
    Row(
        _SORT,
        "experts of each row",
        SameSize("expert_idx", 0, "x", 0),
        "要求是2D的Tensor，shape为(NUM_ROWS, K)，且专家id不能超过专家数。",
    ),
    Row(
        _SORT,
        "experts that there are",
        Unchecked("the reference refuses it: the bound is another argument"),
        "要求是2D的Tensor，shape为(NUM_ROWS, K)，且专家id不能超过专家数。",
    ),
    Row(
        _SORT,
        "dtype of the scale",
        Dtypes(("scale",), ("float32",)),
        "数据类型支持float32，数据格式要求为ND。",
    ),
    Row(
        _SORT,
        "dimensions of the scale without quantisation",
        Ranks(("scale",), 1, 1),
        "非量化场景下，如果输入则要求为1D的Tensor，shape为(NUM_ROWS,)。",
        when=(Is("quant_mode", -1),),
    ),
    Row(
        _SORT,
        "a scale for each row without quantisation",
        SameSize("scale", 0, "x", 0),
        "非量化场景下，如果输入则要求为1D的Tensor，shape为(NUM_ROWS,)。",
        when=(Is("quant_mode", -1),),
    ),
    Row(
        _SORT,
        "dimensions of the scale with quantisation",
        Ranks(("scale",), 2, 2),
        "动态quant场景下，如果输入则要求为2D的Tensor，shape为(expert_end-expert_start, H)。",
        when=(Is("quant_mode", 1),),
    ),
    Row(
        _SORT,
        "columns of the scale with quantisation",
        SameSize("scale", -1, "x", -1),
        "动态quant场景下，如果输入则要求为2D的Tensor，shape为(expert_end-expert_start, H)。",
        when=(Is("quant_mode", 1),),
    ),
    Row(_SORT, "no offset", Excluded(("offset",)), "在非量化场景下不输入。\n        动态quant场景下不输入。"),
    Row(_SORT, "rows that count", Values(("active_num",), least=-1), "在dropless场景下，取值需大于等于-1"),
    Row(
        _SORT,
        "experts there are",
        Values(("expert_num",), least=1),
        "expert_num：int类型，可选参数，表示专家数，要求大于0。",
    ),
    Row(
        _SORT,
        "number of experts",
        Values(("expert_num",), least=1, most=10240),
        "其他模式取值范围为(0, 10240]。",
    ),
    Row(
        _SORT,
        "number of experts that are told in pairs",
        Values(("expert_num",), least=1, most=5120),
        "expert_tokens_num_type为key_value模式时，取值范围为(0, 5120]",
        when=(Is("expert_tokens_num_type", 2),),
    ),
    Row(_SORT, "nothing is dropped", Values(("drop_pad_mode",), among=(0,)), "1表示drop_pad场景。当前仅支持0。"),
    Row(
        _SORT,
        "what is told of experts",
        Values(("expert_tokens_num_type",), among=(1, 2)),
        "2表示key_value模式，即输出的值为专家和对应专家处理token数量的键值对。当前仅支持1和2。",
    ),
    Row(
        _SORT,
        "experts are told of",
        Values(("expert_tokens_num_flag",), among=(True,)),
        "表示是否输出expert_token_cumsum_or_count，默认False表示不输出。当前仅支持True。",
    ),
    Row(_SORT, "quantisation", Values(("quant_mode",), among=(-1, 1)), "1表示动态quant场景。当前仅支持-1和1。"),
    Row(_SORT, "no static quantisation", Values(("quant_mode",), among=(-1, 1)), "不支持静态量化模式。"),
    Row(
        _SORT,
        "no second quantisation",
        Values(("quant_mode",), among=(-1,)),
        "x数据类型为int8时仅支持-1，不可再量化。",
        when=(OfDtype("x", "int8"),),
    ),
    Row(
        _SORT,
        "both ends of the experts here",
        Length("active_expert_range", least=2, most=2),
        "active_expert_range：int类型长度为2的数组",
        when=(Given("active_expert_range"),),
    ),
    Row(
        _SORT,
        "experts here",
        Values(("active_expert_range",), least=0),
        "要求数组内的值大于等于0，并且expert_end不大于expert_num。",
    ),
    Row(
        _SORT,
        "experts here are some of all",
        NotAbove("active_expert_range", "expert_num"),
        "要求数组内的值大于等于0，并且expert_end不大于expert_num。",
    ),
    Row(
        _SORT,
        "order of the ends of the experts here",
        Rising("active_expert_range"),
        "数组内值为[expert_start, expert_end]，表示活跃的expert范围在[expert_start, expert_end)区间内，左闭右开。",
    ),
    Row(
        _SORT,
        "kinds of rows",
        Values(("row_idx_type",), among=(0, 1)),
        "表示输出expanded_row_idx使用的索引类型，支持取值0和1",
    ),
)

ROWS = (*_GATING, *_SORTING)
