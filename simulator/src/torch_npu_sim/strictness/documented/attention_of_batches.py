"""``npu_fused_infer_attention_score`` and ``_v2``: layouts, lengths and masks of queries that have a batch."""

from torch_npu_sim.strictness.attention_versions import BOTH, FIRST, SECOND, Version
from torch_npu_sim.strictness.conditions import Given, Is, Not, OfAxis, OfDtype, OfRank
from torch_npu_sim.strictness.demands import Dtypes, Ranks, SameShape, SameSize
from torch_npu_sim.strictness.demands_by_layout import Axis, Entries, Reaches, ReachesBlocks, Within
from torch_npu_sim.strictness.demands_of_values import Demanded, SizeIs, Sum, Values
from torch_npu_sim.strictness.row import Row

_HALF = ("float16", "bfloat16")
_PAGED = Given("block_table")
_ROTATED = Given("query_rope")
_ONE = OfAxis("query", "S", most=1)
_SEVERAL = OfAxis("query", "S", least=2)
_BATCH = Is("input_layout", "BSH", "BSND", "BNSD", "BNSD_BSND")
_WHOLE = Is("sparse_mode", 0, 1)
_COUNTED = Not(Is("num_key_value_heads", 0))

_LAYOUTS = (
    Row(
        FIRST.operators,
        "layouts",
        # The paragraph on sparse modes names two more.
        Values(("input_layout",), among=("BSH", "BSND", "BNSD", "BNSD_BSND", "TND", "TND_NTD", "NTD_TND")),
        "支持BSH、BSND、BNSD、BNSD_BSND、TND(不支持左padding、tensorlist、pse、page attention、prefix、伪量化、全量化、后量化, 综合约束请见约束说明). 当为TND时",
    ),
    Row(
        SECOND.operators,
        "layouts",
        Values(
            ("input_layout",),
            among=(
                *("BSH", "BSND", "BNSD", "BNSD_BSND", "BSH_NBSD", "BSND_NBSD", "BNSD_NBSD"),
                *("TND", "TND_NTD", "NTD_TND"),
            ),
        ),
        "各layout对应的shape如下: BSH-(B,Q_S,H), BSND-(B,Q_S,Q_N,D), BNSD-(B,Q_N,Q_S,D)",
    ),
    Row(
        BOTH,
        "dimensions of queries without heads of their own",
        Ranks(("query",), 3, 3),
        "H(Head-Size)表示隐藏层的大小、N(Head-Num)表示多头数",
        when=(Is("input_layout", "BSH", "BSH_NBSD"),),
    ),
    Row(
        BOTH,
        "dimensions of queries of a batch",
        Ranks(("query",), 4, 4),
        "H(Head-Size)表示隐藏层的大小、N(Head-Num)表示多头数",
        when=(Is("input_layout", "BSND", "BNSD", "BNSD_BSND", "BSND_NBSD", "BNSD_NBSD"),),
    ),
    Row(
        SECOND.operators,
        "tokens of queries that come back by heads",
        Axis("query", "S", least=1, most=16),
        "BNSD_NBSD输入(B,Q_N,Q_S,D)输出(Q_N,B,Q_S,D)仅支持Q_S为1~16",
        when=(Is("input_layout", "BNSD_NBSD"),),
    ),
    Row(
        BOTH,
        "tokens of queries that come back by tokens",
        Axis("query", "S", least=2),
        "其中BNSD_BSND含义指当输入为BNSD, 输出格式为BSND, 仅支持Q_S大于1.",
        when=(Is("input_layout", "BNSD_BSND"),),
    ),
    Row(BOTH, "requests of a batch", Axis("query", "B", most=65536), "支持B轴小于等于65536"),
    Row(
        BOTH,
        "tokens of queries",
        Axis("query", "S", most=20971520),
        "S支持小于等于20971520(20M).",
        when=(_SEVERAL,),
    ),
    Row(
        BOTH,
        "keys of queries of one token",
        Axis("key", "S", most=262144),
        "支持S轴小于等于262144",
        when=(_ONE, Not(_PAGED)),
    ),
    Row(
        BOTH,
        "width of queries",
        Axis("query", "NDH", most=65534),
        "input_layout为BSH或者BSND时, 要求N*D小于65535.",
        when=(Is("input_layout", "BSH", "BSND"), _SEVERAL),
    ),
    Row(
        BOTH,
        "size of heads beside int8",
        Axis("query", "D", multiple=32),
        "query、key、value输入类型包含int8时, D轴需要32对齐",
        when=(OfDtype("key", "int8"), _SEVERAL),
    ),
    Row(
        BOTH,
        "one shape of keys and values",
        SameShape(("key", "value")),
        "参数key、value中对应tensor的shape需要完全一致",
        when=(_BATCH,),
    ),
    Row(
        BOTH,
        "as many keys as values",
        SameShape(("key", "value"), but_last=1),
        "参数key、value中对应tensor的shape需要完全一致",
    ),
    Row(
        BOTH,
        "heads of keys before tokens",
        SizeIs("key", 1, "num_key_value_heads"),
        "场景下, 还需要与shape中的key/value的N轴shape值相同, 否则执行异常.",
        when=(Is("input_layout", "BNSD", "BNSD_BSND"), Not(_PAGED), _COUNTED),
    ),
    Row(
        BOTH,
        "heads of keys behind tokens",
        SizeIs("key", 2, "num_key_value_heads"),
        "场景下, 还需要与shape中的key/value的N轴shape值相同, 否则执行异常.",
        when=(Is("input_layout", "BSND"), Not(_PAGED), _COUNTED),
    ),
)

_MASKS = (
    Row(
        BOTH,
        "dimensions of a mask beside rotated parts",
        Ranks(("atten_mask",), 3, 4),
        "并且不传query_rope和key_rope时，Q_S为1可支持传入(B,KV_S)，Q_S大于1时可支持传入(Q_S,KV_S)。",
        when=(_WHOLE, _ROTATED),
    ),
    Row(
        BOTH,
        "a mask of each query",
        Reaches("atten_mask", -2, "query", "S"),
        "则需要传入完整的atten_mask矩阵(S1*S2)",
        when=(Is("sparse_mode", 0), _SEVERAL),
    ),
    Row(
        BOTH,
        "a mask of each key",
        Reaches("atten_mask", -1, "key", "S"),
        "则需要传入完整的atten_mask矩阵(S1*S2)",
        when=(Is("sparse_mode", 0), _SEVERAL, Not(_PAGED)),
    ),
    Row(
        BOTH,
        "mask of the mode of all",
        Demanded(("atten_mask",)),
        "sparse_mode为1时, 代表allMask, 必须传入完整的attenmask矩阵(S1*S2).",
        when=(Is("sparse_mode", 1), _SEVERAL),
    ),
    Row(
        FIRST.operators,
        "mask of a tree of latents",
        Demanded(("atten_mask", "query_rope", "key_rope")),
        "需传入自定义tree mask, 仅MLA场景(query_rope和key_rope不为空)支持.",
        when=(Is("sparse_mode", 9),),
    ),
    Row(
        FIRST.operators,
        "a mask as wide as the rows of the block table",
        ReachesBlocks("atten_mask"),
        "传入的`atten_mask`的最后一维需要大于等于`block_table`的第二维 * `block_size`.",
        when=(_PAGED, Not(Is("sparse_mode", 2, 3, 4))),
    ),
    Row(
        BOTH,
        "a band is not empty",
        Sum(("pre_tokens", "next_tokens"), least=0),
        "当sparse\\_mode=4时，要求preTokens >= -actual\\_seq\\_qlen、nextTokens >= -actual\\_seq\\_kvlen、preTokens + nextTokens >= 0",
        when=(Is("input_layout", "TND", "TND_NTD", "NTD_TND"), Is("sparse_mode", 4)),
    ),
    Row(
        BOTH,
        "kinds of precision",
        Values(("inner_precise",), among=(0, 1, 2, 3)),
        "inner_precise: 整型, 一共4种模式: 0、1、2、3.",
    ),
    Row(
        BOTH,
        "kinds of precision of one token",
        Values(("inner_precise",), among=(0, 1)),
        "Q_S为1时该参数仅支持innerPrecise为0和1.",
        when=(_ONE,),
    ),
)

_OVER_A_CACHE = (
    Row(
        BOTH,
        "dtypes of a paged cache",
        Dtypes(("key", "value"), (*_HALF, "int8")),
        "支持key、value数据类型为float16、bfloat16、int8.",
        when=(_PAGED,),
    ),
    Row(
        BOTH,
        "dtypes of a paged cache beside those of queries",
        Dtypes(("key", "value"), (*_HALF, "int8")),
        "不支持Q为bfloat16、float16、key、value为int4(int32)的场景.",
        when=(_PAGED, OfDtype("query", *_HALF)),
    ),
    Row(
        FIRST.operators,
        "dtype of queries over a paged cache",
        Dtypes(("query",), _HALF),
        "不支持输入query为int8的场景.",
        when=(_PAGED,),
    ),
    Row(
        SECOND.operators,
        "dtype of queries over a paged cache",
        Dtypes(("query",), _HALF),
        "不支持输入query为int8的场景。",
        # Of latents the same document names queries of int8.
        when=(_PAGED, Not(_ROTATED)),
    ),
    Row(
        BOTH,
        "tokens of a block of queries of several tokens",
        Values(("block_size",), least=128, most=512, multiple=128),
        "block_size最小为128, 最大为512, 且要求是128的倍数.",
        # Of latents the documents name other sizes.
        when=(_PAGED, _SEVERAL, Not(_ROTATED)),
    ),
    Row(
        BOTH,
        "tokens of a block of int8",
        Values(("block_size",), least=1, multiple=32),
        "key、value输入类型为int8时需要32对齐",
        # Of latents the documents name sizes.
        when=(_PAGED, OfDtype("key", "int8"), Not(_ROTATED)),
    ),
    Row(
        BOTH,
        "dimensions of a paged cache beside queries with heads behind tokens",
        Ranks(("key", "value"), 3, 3),
        "当query的input_layout为BSH、BSND时, kv cache排布只支持(blocknum, blocksize, H)一种格式.",
        # Format NZ, of five dimensions, has sections of its own.
        when=(_PAGED, Is("input_layout", "BSH", "BSND"), Not(OfRank("key", 5))),
    ),
    Row(
        BOTH,
        "a row of the block table for each of a batch",
        SameSize("block_table", 0, "query", 0),
        "page attention场景下, blockTable必须为二维, 第一维长度需等于B",
        when=(_PAGED, OfAxis("query", "B")),
    ),
)


def _lengths(version: Version) -> tuple[Row, ...]:
    """Return the rows of how long queries and keys are said to be."""
    return (
        Row(
            version.operators,
            "number of heads of queries of a batch",
            SizeIs("query", 1, version.heads),
            "在BNSD场景下, 需要与shape中的query的N轴shape值相同, 否则执行异常.",
            when=(Is("input_layout", "BNSD", "BNSD_BSND", "BNSD_NBSD"),),
        ),
        Row(
            version.operators,
            "lengths of queries within the batch",
            Within(version.query_lengths, "query", "S"),
            "该入参中每个batch的有效seqlen应该不大于query中对应batch的seqlen, Q_S为1时该参数无效.",
            when=(_SEVERAL,),
        ),
        Row(
            version.operators,
            "a length of queries for each of a batch",
            Entries(version.query_lengths, "query", "B"),
            "传入长度大于等于Batch时取seqlen的前Batch个数. 其他长度不支持.",
            when=(_SEVERAL,),
        ),
        Row(
            version.operators,
            "lengths of keys within the batch",
            Within(version.key_lengths, "key", "S"),
            f"{version.key_lengths}: 该参数应为非负数, 在input_layout不同时, 其含义与拦截条件不同: 一般情况下, 该入参为可选入参, "
            "该入参中每个Batch的有效Sequence Length应该不大于key/value中对应Batch的seqlenKv.",
            when=(_BATCH, Not(_PAGED)),
        ),
        Row(
            version.operators,
            "a length of keys for each of a batch",
            Entries(version.key_lengths, "query", "B"),
            "传入长度大于等于Batch时取seqlenKv的前Batch个数. 其他长度不支持.",
        ),
    )


ROWS = (*_LAYOUTS, *_MASKS, *_OVER_A_CACHE, *_lengths(FIRST), *_lengths(SECOND))
