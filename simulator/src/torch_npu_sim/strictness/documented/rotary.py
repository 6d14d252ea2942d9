"""Rotation of queries and keys together: ``npu_apply_rotary_pos_emb`` and ``npu_mrope``."""

from torch_npu_sim.strictness.conditions import Is, Not, OfDtype, OfRank
from torch_npu_sim.strictness.demands import Dtypes, Elements, Ranks, SameDtype, SameSize, Sizes
from torch_npu_sim.strictness.demands_of_shapes import NotAbove, OneSize
from torch_npu_sim.strictness.demands_of_values import Values
from torch_npu_sim.strictness.row import Row

_APPLY = ("npu_apply_rotary_pos_emb",)
_MROPE = ("npu_mrope",)

_FLOAT = ("bfloat16", "float16", "float32")
_ALL = ("query", "key", "cos", "sin")

_FOR = "Atlas 推理系列产品、Atlas A2 训练系列产品/Atlas A2 推理系列产品、Atlas A3 训练系列产品/Atlas A3 推理系列产品："
_OF_HEADS = f"{_FOR}不支持空Tensor，shape最后一维（D）必须等于128或者64。"
_OF_COS = f"{_FOR}不支持空Tensor，shape中B维度与query、key的B维度一致，shape第3维（N）必须等于1，shape最后一维（D）必须等于128或者64。"
_TOKENS = 'layout为"BSND"，query、key、cos、sin输入shape的前2维（B、S）必须相等；'
_LAST = "2. query、key输入shape的最后一维（D）必须相等，cos、sin输入shape的最后一维（D）必须相等。\n"
_BSND = Is("layout", "BSND")
_TND = Is("layout", "TND")
_RANK = "layout为TND时，shape为3维，其他layout场景下shape为4维。"

_ROWS_OF_APPLY = (
    Row(_APPLY, "dtypes", Dtypes(_ALL, _FLOAT), "数据类型支持bfloat16、float16、float32，数据格式支持ND。"),
    Row(_APPLY, "one dtype", SameDtype(_ALL), "3. 输入张量query、key、cos、sin的数据类型必须相同。"),
    Row(_APPLY, "layouts", Values(("layout",), among=("BSND", "TND")), f"{_FOR}支持BSND的4维Tensor、TND的3维Tensor。"),
    Row(_APPLY, "modes", Values(("rotary_mode",), among=("half",)), f'{_FOR}支持"half"模式。'),
    Row(_APPLY, "dimensions", Ranks(_ALL, 4, 4), _RANK, when=(_BSND,)),
    Row(_APPLY, "dimensions of packed tokens", Ranks(_ALL, 3, 3), _RANK, when=(_TND,)),
    Row(_APPLY, "query and key are not empty", Elements(("query", "key"), least=1), _OF_HEADS),
    Row(_APPLY, "size of heads", Sizes(("query", "key"), -1, among=(64, 128)), _OF_HEADS),
    Row(_APPLY, "cos and sin are not empty", Elements(("cos", "sin"), least=1), _OF_COS),
    Row(_APPLY, "cos and sin of all heads", Sizes(("cos", "sin"), -2, among=(1,)), _OF_COS),
    Row(_APPLY, "size of cos and sin", Sizes(("cos", "sin"), -1, among=(64, 128)), _OF_COS),
    Row(_APPLY, "requests", OneSize(_ALL, 0), _TOKENS, when=(_BSND,)),
    Row(_APPLY, "tokens of requests", OneSize(_ALL, 1), _TOKENS, when=(_BSND,)),
    Row(_APPLY, "packed tokens", OneSize(_ALL, 0), 'layout为"TND"时，第1维（T）必须相等。', when=(_TND,)),
    Row(_APPLY, "one size of heads", OneSize(("query", "key"), -1), _LAST),
    Row(_APPLY, "one size of cos and sin", OneSize(("cos", "sin"), -1), _LAST),
)

_POSITIONS = (
    "要求是一个维度为1D或2D的Tensor，shape为 (numTokens)或(3, numTokens)，1D维度输入是rope模式，2D维度输入是mrope模式。"
)
_WIDTH = "当输入是BFLOAT16或FLOAT16时，rotary_dim要求是32的倍数，当输入是FLOAT32时，rotary_dim要求是16的倍数。"

_ROWS_OF_MROPE = (
    Row(
        _MROPE,
        "dtype of positions",
        Dtypes(("positions",), ("int32", "int64")),
        "数据类型支持INT32、INT64，数据格式支持ND。",
    ),
    Row(_MROPE, "dimensions of positions", Ranks(("positions",), 1, 2), _POSITIONS),
    Row(
        _MROPE,
        "three kinds of positions",
        Sizes(("positions",), 0, among=(3,)),
        _POSITIONS,
        when=(OfRank("positions", 2),),
    ),
    Row(_MROPE, "a position for each token", SameSize("positions", -1, "query", 0), _POSITIONS),
    Row(
        _MROPE,
        "positions that there are",
        NotAbove("positions", "cos_sin_cache", of_dimension=0, less=1),
        "当输入tensor positions中值域超过cosSinCache的0维maxSeqLen，会有越界报错。",
    ),
    Row(
        _MROPE,
        "dtypes",
        Dtypes(("query", "key", "cos_sin_cache"), _FLOAT),
        "数据类型支持BFLOAT16、FLOAT16、FLOAT32，数据格式支持ND。",
    ),
    Row(
        _MROPE,
        "dimensions of the cache",
        Ranks(("cos_sin_cache",), 2, 2),
        "cosSinCache (Tensor): 参与计算的位置编码张量，要求shape为一个2D的(maxSeqLen, rotaryDim)。",
    ),
    Row(
        _MROPE,
        "dimensions",
        Ranks(("query", "key", "cos_sin_cache"), 2, 2),
        "queryIn、keyIn、cosSinCache只支持2维shape输入。",
    ),
    Row(
        _MROPE,
        "rotated size of half types",
        Sizes(("cos_sin_cache",), -1, multiple=32),
        _WIDTH,
        # Of float32 that stands in for a half type the lower bound holds.
        when=(Not(OfDtype("query", "float32")),),
    ),
    Row(
        _MROPE,
        "rotated size of float32",
        Sizes(("cos_sin_cache",), -1, multiple=16),
        _WIDTH,
        when=(OfDtype("query", "float32"),),
    ),
)

ROWS = (*_ROWS_OF_APPLY, *_ROWS_OF_MROPE)
