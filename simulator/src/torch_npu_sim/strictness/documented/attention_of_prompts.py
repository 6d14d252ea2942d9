"""``npu_prompt_flash_attention``: inputs, lengths and masks."""

from torch_npu_sim.strictness.conditions import Is, Not, OfDtype
from torch_npu_sim.strictness.demands import Contiguous, Dtypes, Ranks, SameDtype, Sizes
from torch_npu_sim.strictness.demands_by_layout import Axis, Entries, Reaches, Within
from torch_npu_sim.strictness.demands_of_values import Demanded, Excluded, Rising, Values
from torch_npu_sim.strictness.row import Row

_OPERATOR = ("npu_prompt_flash_attention",)

_HALF = ("float16", "bfloat16")

_PRODUCTS = ("Atlas A2 训练系列产品/Atlas 800I A2 推理产品", "Atlas A3 训练系列产品")

_TND = Is("input_layout", "TND")

_COMPRESSED = Is("sparse_mode", 2, 3, 4)


_MASK = "atten_mask: Tensor类型, 代表下三角全为0上三角全为负无穷的倒三角mask矩阵, 数据类型支持bool、int8和uint8. 数据格式支持ND, 不支持非连续的Tensor."


_COMPRESSED_MASK = (
    "sparse_mode=2、3、4时, atten_mask的shape需要为(S, S)或(1, S, S)或(1, 1, S, S), 其中S的值需要固定为2048"
)


_INPUTS = (
    Row(
        _OPERATOR,
        "contiguous queries",
        Contiguous(("query",)),
        "query: Tensor类型, 公式中的输入Q, 数据类型与key的数据类型需满足数据类型推导规则, 即保持与key、value的数据类型一致. 不支持非连续的Tensor",
    ),
    Row(
        _OPERATOR,
        "one dtype",
        SameDtype(("query", "key", "value")),
        "query: Tensor类型, 公式中的输入Q, 数据类型与key的数据类型需满足数据类型推导规则, 即保持与key、value的数据类型一致. 不支持非连续的Tensor",
    ),
    Row(
        _OPERATOR,
        "contiguous keys",
        Contiguous(("key",)),
        "key: Tensor类型, 公式中的输入K, 数据类型与query的数据类型需满足数据类型推导规则, 即保持与query、value的数据类型一致. 不支持非连续的Tensor",
    ),
    Row(
        _OPERATOR,
        "contiguous values",
        Contiguous(("value",)),
        "value: Tensor类型, 公式中的输入V, 数据类型与query的数据类型需满足数据类型推导规则, 即保持与query、key的数据类型一致. 不支持非连续的Tensor",
    ),
    Row(
        _OPERATOR,
        "layouts",
        Values(("input_layout",), among=("BSH", "BSND", "BNSD", "BNSD_BSND", "TND")),
        '当前支持BSH、BSND、BNSD、BNSD、BNSD_BSND(输入为BNSD时, 输出格式为BSND). 用户不特意指定时可传入默认值"BSH". 支持TND(不支持pse、全量化、后量化).',
    ),
    Row(
        _OPERATOR,
        "what packed queries go without",
        Excluded(("pse_shift", "deq_scale1", "quant_scale1", "deq_scale2", "quant_scale2", "quant_offset2")),
        '当前支持BSH、BSND、BNSD、BNSD、BNSD_BSND(输入为BNSD时, 输出格式为BSND). 用户不特意指定时可传入默认值"BSH". 支持TND(不支持pse、全量化、后量化).',
        when=(_TND,),
    ),
    Row(_OPERATOR, "requests of a batch", Axis("query", "B", most=65536), "支持B轴小于等于65536(64k)"),
    Row(_OPERATOR, "number of heads", Values(("num_heads",), most=256), "\n支持N轴小于等于256."),
    Row(_OPERATOR, "tokens of queries", Axis("query", "S", most=20971520), "S支持小于等于20971520(20M)."),
    Row(_OPERATOR, "tokens of keys", Axis("key", "S", most=20971520), "S支持小于等于20971520(20M)."),
    Row(
        _OPERATOR,
        "size of heads",
        Axis("query", "D", most=512),
        "支持D轴小于等于512. input_layout为BSH或者BSND时, 要求N*D小于65535.",
    ),
    Row(
        _OPERATOR,
        "width of queries",
        Axis("query", "NDH", most=65534),
        "支持D轴小于等于512. input_layout为BSH或者BSND时, 要求N*D小于65535.",
        when=(Is("input_layout", "BSH", "BSND"),),
    ),
)

_OF_PRODUCTS = tuple(
    row
    for product, last in zip(_PRODUCTS, ("", ", Atlas A3"), strict=True)
    for row in (
        Row(
            _OPERATOR,
            f"dtypes{last}",
            Dtypes(("query", "key", "value"), (*_HALF, "int8")),
            f"{product}: 数据类型支持float16、bfloat16、int8.",
        ),
        Row(
            _OPERATOR,
            f"dtype of the shift{last}",
            Dtypes(("pse_shift",), _HALF),
            f"{product}: 数据类型支持float16、bfloat16. 当pse_shift为float16时, 要求query为float16或int8;",
        ),
        Row(
            _OPERATOR,
            f"queries of a shift in float16{last}",
            Dtypes(("query",), ("float16", "int8")),
            f"{product}: 数据类型支持float16、bfloat16. 当pse_shift为float16时, 要求query为float16或int8;",
            when=(OfDtype("pse_shift", "float16"),),
        ),
        Row(
            _OPERATOR,
            f"ends of packed queries{last}",
            Demanded(("actual_seq_lengths",)),
            f"{product}: 支持TND格式. 当query的input_layout为TND时, 该入参必须传入",
            when=(_TND,),
        ),
        Row(
            _OPERATOR,
            f"ends of packed queries do not fall{last}",
            Rising("actual_seq_lengths"),
            f"{product}: 支持TND格式. 当query的input_layout为TND时, 该入参必须传入",
            when=(_TND,),
        ),
        Row(
            _OPERATOR,
            f"ends of packed keys{last}",
            Demanded(("actual_seq_lengths_kv",)),
            f"{product}: 支持TND格式. 当key/value的input_layout为TND时, 该入参必须传入",
            when=(_TND,),
        ),
        Row(
            _OPERATOR,
            f"ends of packed keys do not fall{last}",
            Rising("actual_seq_lengths_kv"),
            f"{product}: 支持TND格式. 当key/value的input_layout为TND时, 该入参必须传入",
            when=(_TND,),
        ),
        Row(
            _OPERATOR,
            f"dtype of the scale of results{last}",
            Dtypes(("quant_scale2",), ("float32", "bfloat16")),
            f"{product}: 数据类型支持float32、bfloat16. 当输入为bfloat16时, 同时支持float32和bfloat16 , 否则仅支持float32 . per-channel格式, 当输出layout为BSH时, 要求quant_scale2所有维度的乘积等于H;",
        ),
        Row(
            _OPERATOR,
            f"dtype of the scale of results of other queries{last}",
            Dtypes(("quant_scale2",), ("float32",)),
            f"{product}: 数据类型支持float32、bfloat16. 当输入为bfloat16时, 同时支持float32和bfloat16 , 否则仅支持float32 . per-channel格式, 当输出layout为BSH时, 要求quant_scale2所有维度的乘积等于H;",
            when=(Not(OfDtype("query", "bfloat16")),),
        ),
        Row(
            _OPERATOR,
            f"dtype of the offset of results{last}",
            Dtypes(("quant_offset2",), ("float32", "bfloat16")),
            f"{product}: 数据类型支持float32、bfloat16.",
        ),
    )
)

_LENGTHS = (
    Row(
        _OPERATOR,
        "lengths of queries within the batch",
        Within("actual_seq_lengths", "query", "S"),
        "限制: 该入参中每个batch的有效Sequence Length应该不大于query中对应batch的seqlen.",
    ),
    Row(
        _OPERATOR,
        "a length of queries for each of a batch",
        Entries("actual_seq_lengths", "query", "B"),
        "传入长度大于等于Batch数时取seqlen的前Batch个数. 其它长度不支持.",
    ),
    Row(
        _OPERATOR,
        "lengths of keys within the batch",
        Within("actual_seq_lengths_kv", "key", "S"),
        "限制: 该入参中每个batch的有效seqlenKV应该不大于key/value中对应batch的seqlenKV.",
    ),
    Row(
        _OPERATOR,
        "a length of keys for each of a batch",
        Entries("actual_seq_lengths_kv", "key", "B"),
        "传入长度大于等于Batch数时取seqlenKV的前Batch个数, 其它长度不支持.",
    ),
)

_MASKS = (
    Row(_OPERATOR, "dtype of the mask", Dtypes(("atten_mask",), ("bool", "int8", "uint8")), _MASK),
    Row(_OPERATOR, "contiguous mask", Contiguous(("atten_mask",)), _MASK),
    Row(
        _OPERATOR,
        "a mask of each query",
        Reaches("atten_mask", -2, "query", "S"),
        "则需要传入完整的atten_mask矩阵(S1 * S2)",
        when=(Is("sparse_mode", 0),),
    ),
    Row(
        _OPERATOR,
        "a mask of each key",
        Reaches("atten_mask", -1, "key", "S"),
        "则需要传入完整的atten_mask矩阵(S1 * S2)",
        when=(Is("sparse_mode", 0),),
    ),
    Row(
        _OPERATOR,
        "sparse modes",
        Values(("sparse_mode",), among=(0, 1, 2, 3, 4)),
        "参数sparse_mode当前仅支持值为0、1、2、3、4的场景, 取其它值时会报错.",
    ),
    *(
        Row(
            _OPERATOR,
            f"columns of the mask of mode {mode}",
            Sizes(("atten_mask",), -1, among=(2048,)),
            quote,
            when=(Is("sparse_mode", mode),),
        )
        for mode, quote in (
            (2, "sparse_mode为2时, 代表leftUpCausal模式的mask, 需要传入优化后的atten_mask矩阵(2048*2048)."),
            (
                3,
                "sparse_mode为3时, 代表rightDownCausal模式的mask, 均对应以左顶点为划分的下三角场景, 需要传入优化后的atten_mask矩阵(2048*2048).",
            ),
            (4, "sparse_mode为4时, 代表band模式的mask, 需要传入优化后的atten_mask矩阵(2048*2048)."),
        )
    ),
    Row(_OPERATOR, "mask of the compressed modes", Demanded(("atten_mask",)), _COMPRESSED_MASK, when=(_COMPRESSED,)),
    Row(
        _OPERATOR,
        "dimensions of a compressed mask",
        Ranks(("atten_mask",), 2, 4),
        _COMPRESSED_MASK,
        when=(_COMPRESSED,),
    ),
    Row(
        _OPERATOR,
        "rows of a compressed mask",
        Sizes(("atten_mask",), -2, among=(2048,)),
        _COMPRESSED_MASK,
        when=(_COMPRESSED,),
    ),
)


ROWS = (*_INPUTS, *_OF_PRODUCTS, *_LENGTHS, *_MASKS)
