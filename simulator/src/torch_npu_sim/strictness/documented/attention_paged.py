"""``npu_fused_infer_attention_score`` and ``_v2``: what holds in all layouts, and over a paged cache."""

from torch_npu_sim.strictness.conditions import Given, Is, Not, OfAxis, OfDtype, OfSize
from torch_npu_sim.strictness.demands import Contiguous, Dtypes, Elements, Ranks, SameDtype, SameShape, Sizes
from torch_npu_sim.strictness.demands_of_values import (
    Demanded,
    Excluded,
    Length,
    Multiple,
    SameLength,
    Together,
    Unchecked,
    Values,
)
from torch_npu_sim.strictness.row import Row

_FIRST = ("npu_fused_infer_attention_score",)
_SECOND = ("npu_fused_infer_attention_score_v2",)
_BOTH = (*_FIRST, *_SECOND)

_PAGED = Given("block_table")
_HALF = ("float16", "bfloat16")
_INT32_MAX = 2**31 - 1

_ALWAYS = (
    Row(
        _BOTH,
        "dtype of query",
        Dtypes(("query",), (*_HALF, "int8")),
        "query: Tensor类型, attention结构的Query输入, 数据类型支持float16、bfloat16、int8",
    ),
    Row(
        _BOTH,
        "dtypes of key and value",
        Dtypes(("key", "value"), (*_HALF, "int8", "int32")),
        "数据类型支持float16、bfloat16、int8、int4(int32).",
    ),
    Row(
        _BOTH,
        "contiguous inputs",
        Contiguous(("query", "key")),
        "key: Tensor类型, attention结构的Key输入, 不支持非连续的Tensor",
    ),
    Row(
        _BOTH,
        "contiguous values",
        Contiguous(("value",)),
        "value: Tensor类型, attention结构的Value输入, 不支持非连续的Tensor",
    ),
    Row(
        _BOTH,
        "contiguous rotated parts",
        Contiguous(("query_rope", "key_rope")),
        "query_rope: Tensor类型, 表示MLA(Multi-head Latent Attention)结构中的query的rope信息, 数据类型支持float16、bfloat16, 不支持非连续的Tensor",
    ),
    Row(
        _BOTH,
        "dtype of the mask",
        Dtypes(("atten_mask",), ("bool", "int8", "uint8")),
        "用于指示是否计算Token间的相关性, 数据类型支持bool、int8和uint8. 不支持非连续的Tensor",
    ),
    Row(
        _BOTH,
        "contiguous mask",
        Contiguous(("atten_mask",)),
        "用于指示是否计算Token间的相关性, 数据类型支持bool、int8和uint8. 不支持非连续的Tensor",
    ),
    Row(
        _BOTH,
        "mask of the compressed modes",
        Demanded(("atten_mask",)),
        "不传入atten_mask或者传入的shape不正确报错",
        # Of one query token without a rotated part the mode has no effect.
        when=(Is("sparse_mode", 2, 3, 4), Not(OfAxis("query", "S", most=1))),
    ),
    Row(
        _BOTH,
        "columns of a compressed mask",
        Sizes(("atten_mask",), -1, among=(2048,)),
        "sparse_mode为2、3、4时，shape输入支持(2048,2048)或(1,2048,2048)或(1,1,2048,2048)。",
        when=(Is("sparse_mode", 2, 3, 4),),
    ),
    Row(
        _BOTH,
        "rows of a compressed mask",
        Sizes(("atten_mask",), -2, among=(2048,)),
        "sparse_mode为2、3、4时，shape输入支持(2048,2048)或(1,2048,2048)或(1,1,2048,2048)。",
        when=(Is("sparse_mode", 2, 3, 4),),
    ),
    Row(
        _FIRST,
        "sparse modes",
        Values(("sparse_mode",), among=(0, 1, 2, 3, 4, 9)),
        "当前仅支持取值0、1、2、3、4、9, 取值5、6、7、8(分别代表prefix、global、dilated、block_local)暂未实现, 请勿使用.",
    ),
    Row(
        _SECOND,
        "sparse modes",
        Values(("sparse_mode",), among=(0, 1, 2, 3, 4)),
        "参数sparse_mode当前仅支持值为0、1、2、3、4的场景, 取其它值时会报错.",
    ),
    Row(
        _FIRST,
        "heads for each of the key",
        Multiple("num_heads", "num_key_value_heads", most=64),
        "需要满足num_heads整除num_key_value_heads, num_heads与num_key_value_heads的比值不能大于64",
    ),
    Row(
        _SECOND,
        "heads for each of the key",
        Multiple("num_query_heads", "num_key_value_heads", most=64),
        "num_query_heads与num_key_value_heads的比值不能大于64",
        # Of latents the same document names 128 heads for one of the key.
        when=(Not(OfSize("query", -1, 512)),),
    ),
    Row(
        _FIRST,
        "number of heads",
        Values(("num_heads",), most=256),
        "支持N轴小于等于256, 支持D轴小于等于512",
    ),
    Row(
        _SECOND,
        "number of heads",
        Values(("num_query_heads",), most=256),
        "支持N轴小于等于256, 支持D轴小于等于512",
    ),
    Row(
        _BOTH,
        "size of heads",
        Sizes(("query",), -1, most=512),
        "支持N轴小于等于256, 支持D轴小于等于512",
        when=(Not(Is("input_layout", "BSH", "BSH_NBSD")),),
    ),
    Row(
        _BOTH,
        "size of heads in whole steps",
        Sizes(("query",), -1, multiple=16),
        "输入类型全为float16、bfloat16时, D轴需16对齐",
        when=(Not(Is("input_layout", "BSH", "BSH_NBSD")), OfDtype("query", *_HALF)),
    ),
    Row(
        _FIRST,
        "sequences",
        Length("actual_seq_lengths", most=65536),
        "支持B轴小于等于65536",
    ),
    Row(
        _SECOND,
        "sequences",
        Length("actual_seq_qlen", most=65536),
        "支持B轴小于等于65536",
    ),
    Row(
        _FIRST,
        "lengths of keys are not negative",
        Values(("actual_seq_lengths_kv",), least=0),
        "actual_seq_lengths_kv: 该参数传入时应为非负数",
    ),
    Row(
        _SECOND,
        "lengths of keys are not negative",
        Values(("actual_seq_kvlen",), least=0),
        "actual_seq_kvlen: 该参数传入时应为非负数",
    ),
    Row(
        _FIRST,
        "both rotated parts",
        Together(("query_rope", "key_rope")),
        "query_rope和key_rope要求同时配置或同时不配置, 不支持只配置其中一个",
    ),
    Row(
        _SECOND,
        "both rotated parts",
        Together(("query_rope", "key_rope")),
        "query_rope和key_rope要求同时配置或同时不配置，不支持只配置其中一个。",
    ),
    Row(
        _BOTH,
        "dtype of the query's rotated part",
        SameDtype(("query_rope", "query")),
        "query_rope的数据类型、数据格式与query一致",
        when=(Given("query_rope"), Not(OfDtype("query", "int8"))),
    ),
    Row(
        _BOTH,
        "dtype of the key's rotated part",
        SameDtype(("key_rope", "key")),
        "key_rope的数据类型、数据格式与key一致",
        when=(Given("key_rope"), Not(OfDtype("key", "int8"))),
    ),
    Row(
        _BOTH,
        "shape of the query's rotated part",
        SameShape(("query_rope", "query"), but_last=1),
        "query_rope的shape中",
        when=(Given("query_rope"),),
    ),
    Row(
        _BOTH,
        "size of rotated parts",
        Sizes(("query_rope",), -1, among=(64,)),
        "query_rope的shape中",
        when=(Not(Is("input_layout", "BSH", "BSH_NBSD")),),
    ),
)

_OVER_A_CACHE = (
    Row(
        _BOTH,
        "elements of a paged cache",
        Elements(("key", "value"), _INT32_MAX),
        "page attention场景的参数key、value各自对应tensor的shape所有维度相乘不能超过int32的表示范围.",
        when=(_PAGED,),
    ),
    Row(
        _BOTH,
        "one shape of a paged cache",
        SameShape(("key", "value")),
        "且key和value的shape需保证一致.",
        when=(_PAGED,),
    ),
    Row(
        _BOTH,
        "width of a paged cache",
        Sizes(("key", "value"), -1, most=65535),
        "page attention场景下, 当输入kv cache排布格式为(blocknum, blocksize, H), 且KV_N*D超过65535时, 受硬件指令约束, 会被拦截报错.",
        when=(_PAGED,),
    ),
    Row(
        _BOTH,
        "dimensions of a paged cache",
        Ranks(("key", "value"), 3, 5),
        "当query的input_layout为BNSD、TND时, kv cache排布支持(blocknum, blocksize, H)和(blocknum, KV_N, blocksize, D)两种格式",
        when=(_PAGED,),
    ),
    Row(
        _BOTH,
        "enough blocks for all requests",
        Unchecked("requests that share a prefix share blocks: vllm-ascend and every user of prefix caching pass fewer"),
        "blockSize计算的每个batch的block数量之和",
        when=(_PAGED,),
    ),
    Row(
        _BOTH,
        "dtype of the block table",
        Dtypes(("block_table",), ("int32",)),
        "block_table: Tensor类型, 数据类型支持int32.",
    ),
    Row(
        _BOTH,
        "dimensions of the block table",
        Ranks(("block_table",), 2, 2),
        "page attention场景下, block_table必须为二维, 第一维长度需等于B",
    ),
    Row(
        _FIRST,
        "a row of the block table for each request",
        SameLength("block_table", "actual_seq_lengths_kv"),
        "page attention场景下, block_table必须为二维, 第一维长度需等于B",
        # Of a batch one length may be that of all.
        when=(Is("input_layout", "TND", "TND_NTD", "NTD_TND"),),
    ),
    Row(
        _SECOND,
        "a row of the block table for each request",
        SameLength("block_table", "actual_seq_kvlen"),
        "page attention场景下, block_table必须为二维, 第一维长度需等于B",
        # Of a batch one length may be that of all.
        when=(Is("input_layout", "TND", "TND_NTD", "NTD_TND"),),
    ),
    Row(
        _FIRST,
        "lengths of keys beside a paged cache",
        Demanded(("actual_seq_lengths_kv",)),
        "page attention场景下, 必须传入actual_seq_lengths_kv.",
        when=(_PAGED,),
    ),
    Row(
        _SECOND,
        "lengths of keys beside a paged cache",
        Demanded(("actual_seq_kvlen",)),
        "page attention场景下, 必须传入actual_seq_kvlen.",
        when=(_PAGED,),
    ),
    Row(
        _FIRST,
        "tokens of a block",
        Values(("block_size",), least=1, most=512, multiple=16),
        "block_size需要传入非0值，且最大不超过512, key、value输入类型为float16、bfloat16时需要16对齐",
        when=(_PAGED,),
    ),
    Row(
        _SECOND,
        "tokens of a block",
        Values(("block_size",), least=1, multiple=16),
        "key、value输入类型为float16、bfloat16时需要16对齐, key、value输入类型为int8时需要32对齐",
        when=(_PAGED,),
    ),
    Row(
        _SECOND,
        "tokens of a block of latents",
        Values(("block_size",), among=(16, 128)),
        "该场景下，必须开启PageAttention，此时block_size支持16、128",
        when=(Given("query_rope"), OfSize("query", -1, 512)),
    ),
    Row(
        _SECOND,
        "latents lie in a paged cache",
        Demanded(("block_table",)),
        "该场景下，必须开启PageAttention，此时block_size支持16、128",
        when=(Given("query_rope"), OfSize("query", -1, 512)),
    ),
    Row(
        _FIRST,
        "no padding beside a paged cache",
        Excluded(("query_padding_size", "kv_padding_size")),
        "page attention不支持伪量化场景, 不支持tensorlist场景, 不支持左padding场景.",
        when=(_PAGED,),
    ),
    Row(
        _FIRST,
        "no shared prefix beside a paged cache",
        Excluded(("key_shared_prefix", "value_shared_prefix")),
        "prefix不支持PageAttention场景、不支持左padding场景、不支持tensorlist场景.",
        when=(_PAGED,),
    ),
)

ROWS = (*_ALWAYS, *_OVER_A_CACHE)
