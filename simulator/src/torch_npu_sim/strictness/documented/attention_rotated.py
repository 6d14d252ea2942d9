"""``npu_fused_infer_attention_score`` and ``_v2``: rotated parts, and latents of the first version."""

from torch_npu_sim.strictness.attention_versions import BOTH, FIRST, SECOND
from torch_npu_sim.strictness.conditions import Given, Is, Not, OfAxis
from torch_npu_sim.strictness.demands import Contiguous, Dtypes, Ranks, SameSize
from torch_npu_sim.strictness.demands_by_layout import Axis
from torch_npu_sim.strictness.demands_of_values import Demanded, Excluded, Values
from torch_npu_sim.strictness.row import Row

_FIRST, _SECOND = FIRST.operators, SECOND.operators

_HALF = ("float16", "bfloat16")

_ROTATED = Given("query_rope")

_PAGED = Given("block_table")

_BAND = Is("sparse_mode", 4)


_ONE = OfAxis("query", "S", most=1)

_SEVERAL = OfAxis("query", "S", least=2)

_PARTS = (
    Row(
        BOTH,
        "dtype of the rotated part of keys",
        Dtypes(("key_rope",), _HALF),
        "key_rope: Tensor类型, 表示MLA(Multi-head Latent Attention)结构中的key的rope信息, 数据类型支持float16、bfloat16, 不支持非连续的Tensor",
    ),
    Row(
        _FIRST,
        "dtype of the scale of rotated keys",
        Dtypes(("key_rope_antiquant_scale",), _HALF),
        "key_rope_antiquant_scale: Tensor类型, 预留参数, 暂未使用, 使用默认值即可. 表示MLA(Multi-head Latent Attention)结构中的key Rope对应的反量化因子, 支持per-channel, 数据类型支持float16、bfloat16, 不支持非连续的Tensor",
    ),
    Row(
        _FIRST,
        "contiguous scale of rotated keys",
        Contiguous(("key_rope_antiquant_scale",)),
        "key_rope_antiquant_scale: Tensor类型, 预留参数, 暂未使用, 使用默认值即可. 表示MLA(Multi-head Latent Attention)结构中的key Rope对应的反量化因子, 支持per-channel, 数据类型支持float16、bfloat16, 不支持非连续的Tensor",
    ),
    Row(
        _SECOND,
        "dtype of the scale of rotated keys",
        Dtypes(("dequant_scale_key_rope",), _HALF),
        "dequant_scale_key_rope: Tensor类型, 预留参数, 暂未使用, 使用默认值即可. 表示MLA(Multi-head Latent Attention)结构中的key Rope对应的反量化因子, 支持per-channel, 数据类型支持float16、bfloat16, 不支持非连续的Tensor",
    ),
    Row(
        _SECOND,
        "contiguous scale of rotated keys",
        Contiguous(("dequant_scale_key_rope",)),
        "dequant_scale_key_rope: Tensor类型, 预留参数, 暂未使用, 使用默认值即可. 表示MLA(Multi-head Latent Attention)结构中的key Rope对应的反量化因子, 支持per-channel, 数据类型支持float16、bfloat16, 不支持非连续的Tensor",
    ),
)

_WITHOUT_BAND = "query_rope配置时要求query的S为1-16、N为32、64、128, D为512, shape中B、N、S与query一致, D为64."

_WITH_BAND = "query_rope配置时要求query的每batch的S不大于key的每batch的S、N为128, D为512, query_rope的shape中B、N、S与query一致, D为64."

_KEY_WITHOUT_BAND = "key_rope配置时要求key的N为1, D为512, key_rope的shape中B、N、S与key一致, D为64."

_KEY_WITH_BAND = "key_rope配置时要求key的S不大于131088, N为1, D为512, key_rope的shape中B、N、S与key一致, D为64."

_MODES = "sparse: Q_S等于1时支持sparse=0且不传mask或sparse=4且传入mask, Q_S大于1时支持sparse=3或sparse=4且传入mask;"

_OF_FIRST = (
    Row(
        _FIRST,
        "layouts of latents",
        Values(("input_layout",), among=("BSH", "BSND", "BNSD")),
        "input_layout形状支持BSH、BSND、BNSD, 当数据格式为NZ时input_layout不支持BNSD.",
        when=(_ROTATED, Not(_BAND)),
    ),
    Row(
        _FIRST,
        "layout of latents in a band",
        Values(("input_layout",), among=("BSND",)),
        "input_layout形状仅支持BSND.",
        when=(_ROTATED, _BAND),
    ),
    Row(
        _FIRST,
        "masks of one latent",
        # The mode of a tree is described as one of latents, too.
        Values(("sparse_mode",), among=(0, 4, 9)),
        _MODES,
        when=(_ROTATED, _ONE),
    ),
    Row(
        _FIRST,
        "no mask of one latent",
        Excluded(("atten_mask",)),
        _MODES,
        when=(_ROTATED, _ONE, Is("sparse_mode", 0)),
    ),
    Row(
        _FIRST,
        "masks of several latents",
        Values(("sparse_mode",), among=(3, 4, 9)),
        _MODES,
        when=(_ROTATED, _SEVERAL),
    ),
    Row(
        _FIRST,
        "tokens of latents",
        Axis("query", "S", least=1, most=16),
        _WITHOUT_BAND,
        when=(_ROTATED, Not(_BAND)),
    ),
    Row(
        _FIRST,
        "heads of latents",
        Values(("num_heads",), among=(32, 64, 128)),
        _WITHOUT_BAND,
        when=(_ROTATED, Not(_BAND)),
    ),
    Row(
        _FIRST,
        "size of latents",
        Axis("query", "D", among=(512,)),
        _WITHOUT_BAND,
        when=(_ROTATED, Not(_BAND)),
    ),
    Row(
        _FIRST,
        "one head of keys of latents",
        Values(("num_key_value_heads",), among=(1,)),
        _KEY_WITHOUT_BAND,
        when=(_ROTATED, Not(_BAND)),
    ),
    Row(
        _FIRST,
        "as many rotated parts as keys",
        SameSize("key_rope", 0, "key", 0),
        _KEY_WITHOUT_BAND,
        when=(_ROTATED,),
    ),
    Row(
        _FIRST,
        "heads of latents in a band",
        Values(("num_heads",), among=(128,)),
        _WITH_BAND,
        when=(_ROTATED, _BAND),
    ),
    Row(
        _FIRST,
        "size of latents in a band",
        Axis("query", "D", among=(512,)),
        _WITH_BAND,
        when=(_ROTATED, _BAND),
    ),
    Row(
        _FIRST,
        "one head of keys of latents in a band",
        Values(("num_key_value_heads",), among=(1,)),
        _KEY_WITH_BAND,
        when=(_ROTATED, _BAND),
    ),
    Row(
        _FIRST,
        "keys of latents in a band",
        Values(("actual_seq_lengths_kv",), most=131088),
        _KEY_WITH_BAND,
        when=(_ROTATED, _BAND),
    ),
    Row(
        _FIRST,
        "format of latents in a band",
        Ranks(("key", "value"), 3, 4),
        "仅支持key、value的input_layout格式为ND.",
        when=(_ROTATED, _BAND),
    ),
    Row(
        _FIRST,
        "latents lie in a paged cache",
        Demanded(("block_table",)),
        "该场景下, 必须开启PageAttention, 此时block_size支持16、128",
        when=(_ROTATED, Not(_BAND)),
    ),
    Row(
        _FIRST,
        "tokens of a block of latents",
        Values(("block_size",), among=(16, 128)),
        "该场景下, 必须开启PageAttention, 此时block_size支持16、128",
        when=(_ROTATED, Not(_BAND)),
    ),
    Row(
        _FIRST,
        "tokens of a block of latents in a band",
        Values(("block_size",), among=(64, 128)),
        "支持开启PageAttention, 此时block_size支持64、128.",
        when=(_ROTATED, _BAND, _PAGED),
    ),
)


ROWS = (*_PARTS, *_OF_FIRST)
