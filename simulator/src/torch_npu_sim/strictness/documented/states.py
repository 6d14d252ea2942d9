"""Operators that go on from what was before: parts of attention, and the gated delta rule."""

from torch_npu_sim.strictness.demands import Dtypes, Ranks, SameShape, SameSize, Sizes
from torch_npu_sim.strictness.demands_of_values import (
    Demanded,
    Excluded,
    Multiple,
    SameLength,
    Unchecked,
    Values,
)
from torch_npu_sim.strictness.row import Row

_UPDATE = ("npu_attention_update",)
_CHUNKS = ("npu_chunk_gated_delta_rule",)
_TOKENS = ("npu_recurrent_gated_delta_rule",)
_BOTH = (*_CHUNKS, *_TOKENS)

_ROWS_OF_PARTS = (
    Row(
        _UPDATE,
        "dtype of log-sum-exps",
        Dtypes(("lse",), ("float32",)),
        "每个Tensor形状为 (batch * seqLen * headNum)，各sp域计算的lse。数据类型支持 FLOAT，格式支持 ND。",
    ),
    Row(
        _UPDATE,
        "dimensions of log-sum-exps",
        Ranks(("lse",), 1, 1),
        "每个Tensor形状为 (batch * seqLen * headNum)，各sp域计算的lse。数据类型支持 FLOAT，格式支持 ND。",
    ),
    Row(
        _UPDATE,
        "dtype of outputs",
        Dtypes(("local_out",), ("float32", "float16", "bfloat16")),
        "各sp域计算的output。数据类型支持 FLOAT，FLOAT16，BFLOAT16，格式支持 ND。",
    ),
    Row(
        _UPDATE,
        "dimensions of outputs",
        Ranks(("local_out",), 2, 2),
        "每个Tensor形状为 (batch * seqLen * headNum, head_dim)，各sp域计算的output。",
    ),
    Row(
        _UPDATE,
        "a log-sum-exp for each output",
        SameLength("lse", "local_out"),
        "local_out：Device侧的TensorList，TensorList长度为sp",
    ),
    Row(
        _UPDATE,
        "rows of outputs",
        SameSize("local_out", 0, "lse", 0),
        "每个Tensor形状为 (batch * seqLen * headNum, head_dim)，各sp域计算的output。",
    ),
    Row(
        _UPDATE,
        "one shape of outputs",
        SameShape(("local_out",)),
        "每个Tensor形状为 (batch * seqLen * headNum, head_dim)，各sp域计算的output。",
    ),
)

_ROWS_OF_STATES = (
    Row(
        _BOTH,
        "dtype",
        Dtypes(("query", "key", "value", "beta"), ("bfloat16",)),
        "数据类型支持bfloat16，数据格式支持ND，shape为（T, Nk, Dk）。",
    ),
    Row(
        _BOTH,
        "dimensions",
        Ranks(("query", "key", "value"), 3, 3),
        "数据类型支持bfloat16，数据格式支持ND，shape为（T, Nk, Dk）。",
    ),
    Row(
        _BOTH,
        "as many queries as keys",
        SameShape(("query", "key")),
        "数据类型支持bfloat16，数据格式支持ND，shape为（T, Nk, Dk）。",
    ),
    Row(
        _BOTH,
        "as many values",
        SameSize("value", 0, "query", 0),
        "数据类型支持bfloat16，数据格式支持ND，shape为（T, Nv, Dv）。",
    ),
    Row(
        _BOTH,
        "strength of each value",
        SameShape(("beta", "g")),
        "数据类型支持float32，数据格式支持ND，shape为（T, Nv）。",
    ),
    Row(
        _BOTH,
        "dtype of the decay",
        Dtypes(("g",), ("float32",)),
        "数据类型支持float32，数据格式支持ND，shape为（T, Nv）。",
    ),
    Row(
        _BOTH,
        "dtype of lengths",
        Dtypes(("actual_seq_lengths",), ("int32",)),
        "必选输入，各batch的输入序列长度。数据类型支持int32，数据格式支持ND，shape为（B,）。",
    ),
    Row(
        _BOTH,
        "lengths are given",
        Demanded(("actual_seq_lengths",)),
        "必选输入，各batch的输入序列长度。数据类型支持int32，数据格式支持ND，shape为（B,）。",
    ),
    Row(_BOTH, "strength is given", Demanded(("beta",)), "- beta (Tensor)：必选输入"),
    Row(
        _CHUNKS,
        "factor of queries is given",
        Demanded(("scale",)),
        "- scale_value (Scalar)：必选输入，query的缩放因子",
    ),
    Row(_TOKENS, "factor of queries is given", Demanded(("scale",)), "- scale (Scalar)：必选输入，query的缩放因子"),
    Row(
        _TOKENS,
        "states of tokens are given",
        Demanded(("ssm_state_indices",)),
        "- ssm_state_indices (Tensor)：必选输入，输入序列到状态矩阵的映射索引。",
    ),
    Row(
        _CHUNKS,
        "dtype of the state",
        Dtypes(("initial_state",), ("bfloat16",)),
        "- initial_state (Tensor)：必选输入&输出，对应公式中的状态矩阵S，数据类型支持bfloat16",
    ),
    Row(
        _TOKENS,
        "dtype of the state",
        Dtypes(("state",), ("bfloat16",)),
        "- state (Tensor)：必选输入&输出，对应公式中的状态矩阵S，数据类型支持bfloat16",
    ),
    Row(_CHUNKS, "state is given", Demanded(("initial_state",)), "- initial_state (Tensor)：必选输入&输出"),
    Row(
        _CHUNKS,
        "dimensions of the state",
        Ranks(("initial_state",), 4, 4),
        "数据格式支持ND，shape为（BlockNum, Nv, Dv, Dk）。",
    ),
    Row(
        _TOKENS, "dimensions of the state", Ranks(("state",), 4, 4), "数据格式支持ND，shape为（BlockNum, Nv, Dv, Dk）。"
    ),
    Row(
        _CHUNKS,
        "number of heads",
        Sizes(("query", "value"), 1, most=64),
        "$N_k \\le 64$，$N_v \\le 64$，$D_k = 128$，$D_v = 128$，$N_v$是$N_k$整数倍。",
    ),
    Row(
        _CHUNKS,
        "size of heads",
        Sizes(("query", "value"), 2, among=(128,)),
        "$N_k \\le 64$，$N_v \\le 64$，$D_k = 128$，$D_v = 128$，$N_v$是$N_k$整数倍。",
    ),
    Row(
        _CHUNKS,
        "heads for each of the key",
        Multiple("value", "query", dimension=1),
        "$N_k \\le 64$，$N_v \\le 64$，$D_k = 128$，$D_v = 128$，$N_v$是$N_k$整数倍。",
    ),
    Row(
        _CHUNKS,
        "length of a sequence",
        Unchecked("the document's own example has 100 tokens, and the operator is made for long prompts"),
        "输入shape大小需满足约束：$L_i \\le 8$",
    ),
    Row(
        _TOKENS,
        "length of a sequence",
        Values(("actual_seq_lengths",), most=8),
        "输入shape大小需满足约束：$L_i \\le 8$",
    ),
    Row(
        _TOKENS,
        "number of heads",
        Sizes(("query", "value"), 1, most=256),
        "$N_k \\le 256$，$N_v \\le 256$，$D_k \\le 256$，$D_v \\le 256$。",
    ),
    Row(
        _TOKENS,
        "size of heads",
        Sizes(("query", "value"), 2, most=256),
        "$N_k \\le 256$，$N_v \\le 256$，$D_k \\le 256$，$D_v \\le 256$。",
    ),
    Row(
        _TOKENS,
        "dtype of states' numbers",
        Dtypes(("ssm_state_indices", "num_accepted_tokens"), ("int32",)),
        "state[ssm_state_indices[i]]表示第i个token的状态矩阵。数据类型支持int32，数据格式支持ND，shape为（T,）。",
    ),
    Row(
        _TOKENS,
        "a state for each token",
        SameLength("ssm_state_indices", "query"),
        "state[ssm_state_indices[i]]表示第i个token的状态矩阵。数据类型支持int32，数据格式支持ND，shape为（T,）。",
    ),
    Row(
        _TOKENS,
        "no decay of keys",
        Excluded(("gk",)),
        "- gk (Tensor)：可选输入，衰减系数，当前版本暂不支持，传None即可。",
    ),
)

ROWS = (*_ROWS_OF_PARTS, *_ROWS_OF_STATES)
