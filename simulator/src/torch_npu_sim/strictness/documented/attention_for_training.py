"""``npu_fusion_attention``: inputs, lengths and layouts."""

from torch_npu_sim.strictness.conditions import Is, Not
from torch_npu_sim.strictness.demands import Dtypes, Ranks, SameDtype, SameShape, SameSize, Sizes
from torch_npu_sim.strictness.demands_by_layout import Axis, Within
from torch_npu_sim.strictness.demands_of_values import (
    Demanded,
    Eager,
    Excluded,
    Length,
    Multiple,
    SameLength,
    Unchecked,
    Values,
)
from torch_npu_sim.strictness.row import Row

_OPERATOR = ("npu_fusion_attention",)
_TND = Is("input_layout", "TND")
_FLOAT = ("float16", "bfloat16", "float32")

ROWS = (
    Row(
        _OPERATOR,
        "for training alone",
        Unchecked(
            "nothing in a call says what it is for; vllm-ascend 0.30.0rc2 calls it too (vllm_ascend/device/utils.py)"
        ),
        "该接口仅在训练场景下使用.",
    ),
    Row(_OPERATOR, "not in a captured graph", Eager(), "该接口暂不支持图模式, 不支持aclgraph."),
    Row(
        _OPERATOR,
        "dtype of queries",
        Dtypes(("query",), _FLOAT),
        "query: Tensor类型, 数据类型支持float16、bfloat16、float32, 数据格式支持ND.",
    ),
    Row(
        _OPERATOR,
        "dtype of keys",
        Dtypes(("key",), _FLOAT),
        "key: Tensor类型, 数据类型支持float16、bfloat16、float32, 数据格式支持ND.",
    ),
    Row(
        _OPERATOR,
        "dtype of values",
        Dtypes(("value",), _FLOAT),
        "value: Tensor类型, 数据类型支持float16、bfloat16、float32, 数据格式支持ND.",
    ),
    Row(
        _OPERATOR,
        "dtype of the shift",
        Dtypes(("pse",), _FLOAT),
        "pse: Tensor类型, 可选参数, 表示位置编码. 数据类型支持float16、bfloat16、float32, 数据格式支持ND. 非varlen场景支持四维输入",
    ),
    Row(
        _OPERATOR,
        "dimensions of the shift",
        Ranks(("pse",), 4, 4),
        "pse: Tensor类型, 可选参数, 表示位置编码. 数据类型支持float16、bfloat16、float32, 数据格式支持ND. 非varlen场景支持四维输入",
        when=(Not(_TND),),
    ),
    Row(
        _OPERATOR,
        "one dtype",
        SameDtype(("query", "key", "value", "pse")),
        "输入query、key、value、pse的数据类型必须一致.",
    ),
    Row(
        _OPERATOR,
        "dtype of the mask",
        Dtypes(("atten_mask",), ("bool", "uint8")),
        "取值为0(或False)代表该位参与计算(被保留), 数据类型支持bool、uint8",
    ),
    Row(
        _OPERATOR,
        "layouts",
        Values(("input_layout",), among=("BSH", "SBH", "BSND", "BNSD", "TND")),
        "支持BSH、SBH、BSND、BNSD、TND(actual_seq_qlen/actual_seq_kvlen需传值)",
    ),
    Row(
        _OPERATOR,
        "ends of packed sequences",
        Demanded(("actual_seq_qlen", "actual_seq_kvlen")),
        "支持BSH、SBH、BSND、BNSD、TND(actual_seq_qlen/actual_seq_kvlen需传值)",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "packed sequences of a call",
        Length("actual_seq_qlen", least=1, most=2048),
        "非varlen场景B取值范围1~2M; varlen场景B取值范围1~2K.",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "packed sequences of a call, as the argument has it",
        Length("actual_seq_qlen", least=1, most=1024),
        "actual_seq_qlen的长度取值范围为1~2K, varlen场景下长度最大支持1K.",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "as many sequences of keys",
        SameLength("actual_seq_qlen", "actual_seq_kvlen"),
        "B: batchsize必须相等",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "size of heads",
        Sizes(("query", "key", "value"), -1, least=1, most=768),
        "D: Head Dim必须满足Dq=Dk和Dk≥Dv，取值范围1~768.",
        when=(Is("input_layout", "BSND", "BNSD", "TND"),),
    ),
    Row(
        _OPERATOR,
        "one size of heads of queries and keys",
        SameSize("query", -1, "key", -1),
        "D: Head Dim必须满足Dq=Dk和Dk≥Dv，取值范围1~768.",
        when=(Is("input_layout", "BSND", "BNSD", "TND"),),
    ),
    Row(
        _OPERATOR,
        "as many keys as values",
        SameShape(("key", "value"), but_last=1),
        "输入key/value的shape必须一致.",
    ),
    Row(
        _OPERATOR,
        "heads for each of the key",
        Multiple("query", "key", dimension=1),
        "支持输入query的N和key/value的N不相等, 但必须成比例关系, 即Nq/Nkv必须是非0整数, Nq取值范围1~256.",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "number of heads",
        Values(("head_num",), least=1, most=256),
        "支持输入query的N和key/value的N不相等, 但必须成比例关系, 即Nq/Nkv必须是非0整数, Nq取值范围1~256.",
    ),
    Row(
        _OPERATOR,
        "packed tokens",
        Sizes(("query",), 0, least=1, most=1 << 20),
        "要求T(B*S)取值范围1~1M.",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "columns of a compressed mask",
        Sizes(("atten_mask",), -1, among=(2048,)),
        "传入的atten_mask为优化后的压缩下三角矩阵(2048*2048)",
        when=(Is("sparse_mode", 2, 3, 4),),
    ),
    Row(
        _OPERATOR,
        "sparse modes",
        Values(("sparse_mode",), among=(0, 1, 2, 3, 4, 5, 6, 7, 8)),
        "支持配置值为0、1、2、3、4、5、6、7、8.",
    ),
    Row(
        _OPERATOR,
        "sparse modes of packed sequences",
        Values(("sparse_mode",), among=(0, 1, 2, 3, 4, 6, 7, 8)),
        "varlen场景不支持非压缩prefix, 即不支持sparse_mode=5",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "share that is kept",
        Values(("keep_prob",), least=0, most=1),
        "代表Dropout中1的比例, 取值范围为(0, 1].",
    ),
    Row(
        _OPERATOR,
        "ends of packed queries",
        Demanded(("actual_seq_qlen",)),
        "actual_seq_qlen: int类型数组, 可选参数, varlen场景时需要传入此参数.",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "ends of packed keys",
        Demanded(("actual_seq_kvlen",)),
        "actual_seq_kvlen: int类型数组, 可选参数, varlen场景时需要传入此参数.",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "layouts of sums",
        Values(("softmax_layout",), among=("", "TND")),
        "当前仅在input\\_layout=“TND”时进行配置，仅支持传入“TND”。",
    ),
    Row(
        _OPERATOR,
        "no layout of sums of other queries",
        Values(("softmax_layout",), among=("",)),
        "当前仅在input\\_layout=“TND”时进行配置，仅支持传入“TND”。",
        when=(Not(_TND),),
    ),
    Row(
        _OPERATOR,
        "requests of a batch",
        Axis("query", "B", least=1, most=1 << 21),
        "非varlen场景B取值范围1~2M;",
        when=(Not(_TND),),
    ),
    Row(
        _OPERATOR,
        "dimensions of the mask of packed sequences",
        Ranks(("atten_mask",), 2, 2),
        "varlen场景只支持SS格式",
        when=(_TND,),
    ),
    Row(
        _OPERATOR,
        "tokens of queries",
        Axis("query", "S", least=1, most=1 << 20),
        "S: sequence length, 取值范围1~1M.",
    ),
    Row(
        _OPERATOR,
        "tokens of keys",
        Axis("key", "S", least=1, most=1 << 20),
        "S: sequence length, 取值范围1~1M.",
    ),
    Row(
        _OPERATOR,
        "prefixes of a call",
        Length("prefix", most=32),
        "prefix稀疏计算场景B不大于32",
    ),
    Row(
        _OPERATOR,
        "prefixes within the keys",
        Within("prefix", "key", "S"),
        "当Sq>Skv时, prefix的N值取值范围[0, Skv], 当Sq<=Skv时, prefix的N值取值范围[Skv-Sq, Skv].",
    ),
    Row(
        _OPERATOR,
        "prefixes are not negative",
        Values(("prefix",), least=0),
        "当Sq>Skv时, prefix的N值取值范围[0, Skv], 当Sq<=Skv时, prefix的N值取值范围[Skv-Sq, Skv].",
    ),
    Row(_OPERATOR, "no mask of padding", Excluded(("padding_mask",)), "padding_mask: Tensor类型, 暂不支持该传参."),
)
