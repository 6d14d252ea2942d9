"""Tokens in the order of experts: ``npu_moe_token_permute`` and its way back, and the choice of experts by softmax."""

from torch_npu_sim.strictness.conditions import OfRank
from torch_npu_sim.strictness.demands import Dtypes, Elements, Ranks, SameSize, Sizes
from torch_npu_sim.strictness.demands_of_shapes import NotAbove
from torch_npu_sim.strictness.demands_of_values import Excluded, NoRepeats, SameLength, Values
from torch_npu_sim.strictness.row import Row

_FLOAT = ("float16", "bfloat16", "float32")
_THERE = ("npu_moe_token_permute",)
_BACK = ("npu_moe_token_unpermute",)
_SOFTMAX = ("npu_moe_gating_top_k_softmax",)

#: All numbers below which indices are, and how many there are.
_INDICES = 16777215

_TOKENS = "tokens(torch.Tensor)：必选输入，2维Tensor，shape为(num_tokens, hidden_size)，支持空tensor，数据类型支持float16、bfloat16、float32，Ascend 950PR/Ascend 950DT上数据类型额外支持int8（按非量化方式处理），支持非连续Tensor，支持ND"
_RANKS = "tokens必须为2维Tensor，indices必须为1D或2D，不满足时接口直接返回参数错误。"
_FINISHED = "finished: Tensor类型, 可选输入, 表示输入中需要参与计算的行, 要求是一个1D/2D的Tensor, 数据类型支持bool, shape为x[:-1], 数据格式要求为ND."
_X = "x: Tensor类型, 必选输入, 表示待计算的输入要求是一个2D/3D的Tensor, 数据类型支持float16、bfloat16、float32, 数据格式要求为ND."
_K = "k: Host侧的int类型, 表示topk的k值, 大小为0<k<=x的-1轴大小, k<=1024."

_GOING_THERE = (
    Row(_THERE, "dtype of tokens", Dtypes(("tokens",), _FLOAT), _TOKENS),
    Row(_THERE, "dimensions of tokens", Ranks(("tokens",), 2, 2), _RANKS),
    Row(_THERE, "dimensions of indices", Ranks(("indices",), 1, 2), _RANKS),
    Row(
        _THERE,
        "dtype of indices",
        Dtypes(("indices",), ("int32", "int64")),
        "indices(torch.Tensor)：必选输入，1维或2维Tensor，数据类型支持int32、int64，支持非连续Tensor，支持ND。",
    ),
    Row(
        _THERE,
        "experts of each token",
        SameSize("indices", 0, "tokens", 0),
        "维度为2时shape为(num_tokens, topK)，维度为1时shape为(num_tokens)，此时topK视为1；",
    ),
    Row(
        _THERE,
        "number of indices",
        Elements(("indices",), _INDICES - 1),
        "元素个数小于16777215，元素值大于等于0且小于16777215",
    ),
    Row(
        _THERE,
        "experts that there can be",
        Values(("indices",), least=0, most=_INDICES - 1),
        "元素个数小于16777215，元素值大于等于0且小于16777215",
    ),
    Row(_THERE, "no padding", Values(("padded_mode",), among=(False,)), "padded_mode当前仅支持False。"),
    Row(
        _THERE,
        "indices of tokens are sorted",
        Values(("padded_mode",), among=(False,)),
        "True表示填充模式，indices已被填充为代表每个专家选中的token索引，此时不对indices进行排序，当前仅支持False",
    ),
)

_GOING_BACK = (
    Row(
        _BACK,
        "dtype of tokens",
        Dtypes(("permuted_tokens",), _FLOAT),
        "数据类型支持float16、bfloat16、float32，支持非连续Tensor，支持ND。",
    ),
    Row(
        _BACK,
        "dimensions of tokens",
        Ranks(("permuted_tokens",), 2, 2),
        "必选输入，2维Tensor，shape为(tokens_num * topK_num, hidden_size)",
    ),
    Row(
        _BACK,
        "dtype of places",
        Dtypes(("sorted_indices",), ("int32",)),
        "数据类型支持int32，支持非连续Tensor，支持ND。",
    ),
    Row(
        _BACK,
        "dimensions of places",
        Ranks(("sorted_indices",), 1, 1),
        "必选输入，1维Tensor，shape为(tokens_num * topK_num)",
    ),
    Row(
        _BACK,
        "places that there are",
        Values(("sorted_indices",), least=0),
        "取值范围是[0, tokens_num * topK_num - 1]，且没有重复索引。",
    ),
    Row(
        _BACK,
        "a place for each token",
        NoRepeats("sorted_indices"),
        "取值范围是[0, tokens_num * topK_num - 1]，且没有重复索引。",
    ),
    Row(
        _BACK,
        "places of so many tokens",
        NotAbove("sorted_indices", "sorted_indices", of_dimension=0, less=1),
        "取值范围是[0, tokens_num * topK_num - 1]，且没有重复索引。",
    ),
    Row(
        _BACK,
        "as many places as tokens",
        SameLength("sorted_indices", "permuted_tokens"),
        "必选输入，1维Tensor，shape为(tokens_num * topK_num)",
    ),
    Row(
        _BACK,
        "dtype of weights",
        Dtypes(("probs",), _FLOAT),
        "shape为(tokens_num, topK_num)，数据类型支持float16、bfloat16、float32",
    ),
    Row(_BACK, "dimensions of weights", Ranks(("probs",), 2, 2), "要求是一个2维Tensor，shape为(tokens_num, topK_num)"),
    Row(
        _BACK,
        "choices of a token",
        Sizes(("probs",), -1, most=512),
        "topK_num要求小于等于512。",
    ),
    Row(
        _BACK,
        "no padding",
        Values(("padded_mode",), among=(False,)),
        "padded_mode当前仅支持False，restore_shape当前仅支持None。",
    ),
    Row(
        _BACK,
        "no shape of padding",
        Excluded(("restore_shape",)),
        "padded_mode当前仅支持False，restore_shape当前仅支持None。",
    ),
)

_CHOOSING = (
    Row(_SOFTMAX, "dtype of x", Dtypes(("x",), _FLOAT), _X),
    Row(_SOFTMAX, "dimensions of x", Ranks(("x",), 2, 3), _X),
    Row(_SOFTMAX, "dtype of rows that count", Dtypes(("finished",), ("bool",)), _FINISHED),
    Row(_SOFTMAX, "dimensions of rows that count", Ranks(("finished",), 1, 1), _FINISHED, when=(OfRank("x", 2),)),
    Row(
        _SOFTMAX,
        "dimensions of rows that count in batches",
        Ranks(("finished",), 2, 2),
        _FINISHED,
        when=(OfRank("x", 3),),
    ),
    Row(_SOFTMAX, "all rows count or not", SameSize("finished", 0, "x", 0), _FINISHED),
    Row(
        _SOFTMAX,
        "all rows of batches count or not",
        SameSize("finished", -1, "x", -2),
        _FINISHED,
        when=(OfRank("x", 3),),
    ),
    Row(_SOFTMAX, "choices of a token", Values(("k",), least=1, most=1024), _K),
    Row(_SOFTMAX, "choices among the experts", NotAbove("k", "x", of_dimension=-1), _K),
)

ROWS = (*_GOING_THERE, *_GOING_BACK, *_CHOOSING)
