"""What keeps state: the paged cache of keys and values, parts of attention, and the gated delta rule."""

from torch_npu_sim.strictness.demands import Contiguous, Dtypes, Ranks, SameDtype, SameShape, SameSize, Sizes
from torch_npu_sim.strictness.demands_of_values import (
    Demanded,
    Excluded,
    Multiple,
    NoRepeats,
    SameLength,
    Unchecked,
    Values,
)
from torch_npu_sim.strictness.row import Row

_SCATTER = ("npu_scatter_pa_kv_cache",)
_UPDATE = ("npu_attention_update",)
_CHUNKS = ("npu_chunk_gated_delta_rule",)
_TOKENS = ("npu_recurrent_gated_delta_rule",)
_BOTH = (*_CHUNKS, *_TOKENS)

_OF_CACHE = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float8_e5m2", "float8_e4m3fn")
_KEY = "当前step多个token的key，支持3维或4维。数据类型支持float16、float、bfloat16、int8、uint8、int16、uint16、int32、uint32、hifloat8、float8_e5m2、float8_e4m3fn"
_SLOTS = "slot_mapping的值范围[0,num_blocks*block_size-1]，且slot_mapping内的元素值保证不重复，重复时不保证正确性；"

_ROWS_OF_CACHE = (
    Row(_SCATTER, "dtype of keys", Dtypes(("key",), ("float16", "float32", "bfloat16", *_OF_CACHE)), _KEY),
    Row(_SCATTER, "dimensions of keys and values", Ranks(("key", "value"), 3, 4), _KEY),
    Row(
        _SCATTER,
        "dimensions of caches",
        Ranks(("key_cache", "value_cache"), 4, 4),
        "当前layer的key cache，只支持4维，数据类型和数据格式与key保持一致。",
    ),
    Row(
        _SCATTER,
        "contiguous",
        Contiguous(("key", "value", "key_cache", "value_cache", "slot_mapping")),
        "输入参数不支持非连续；",
    ),
    Row(
        _SCATTER,
        "one dtype",
        SameDtype(("key", "value", "key_cache", "value_cache")),
        "key、value、key_cache、value_cache的数据类型必须一致；",
    ),
    Row(
        _SCATTER,
        "one dtype of numbers",
        SameDtype(("slot_mapping", "compress_lens", "compress_seq_offsets", "seq_lens")),
        "slot_mapping、compress_lens、compress_seq_offset、seq_lens的数据类型必须一致；",
    ),
    Row(
        _SCATTER,
        "dtype of slots",
        Dtypes(("slot_mapping",), ("int32", "int64")),
        "表示每个token key或value在cache中的存储偏移，数据类型支持int32和int64，数据格式支持ND。",
    ),
    Row(_SCATTER, "slots are not negative", Values(("slot_mapping",), least=0), _SLOTS),
    Row(_SCATTER, "slots do not repeat", NoRepeats("slot_mapping"), _SLOTS),
    Row(_SCATTER, "slots lie in the cache", Unchecked("the reference refuses it: the bound is a product"), _SLOTS),
    Row(
        _SCATTER,
        "as many keys as values",
        SameShape(("key", "value"), but_last=1),
        "当key和value都是3维，则key和value的前两维shape必须相同；",
    ),
    Row(
        _SCATTER,
        "formats of caches",
        Values(("cache_mode",), among=("Norm", "PA_NZ")),
        "当传None或'Norm'时，仅支持ND内存排布格式。当传入'PA_NZ'时，仅支持NZ内存排布格式，默认值为'PA_NZ'。",
    ),
)

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

ROWS = (*_ROWS_OF_CACHE, *_ROWS_OF_PARTS, *_ROWS_OF_STATES)
