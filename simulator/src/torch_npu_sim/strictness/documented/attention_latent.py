"""``npu_fused_infer_attention_score_v2``: latents and their rotated parts."""

from torch_npu_sim.strictness.attention_versions import SECOND
from torch_npu_sim.strictness.conditions import Given, Is, OfAxis, OfDtype, OfRank, OfSize
from torch_npu_sim.strictness.demands import Dtypes, SameShape, SameSize, Sizes
from torch_npu_sim.strictness.demands_by_layout import Axis
from torch_npu_sim.strictness.demands_of_values import Demanded, Excluded, Values
from torch_npu_sim.strictness.row import Row

_SECOND = SECOND.operators

_HALF = ("float16", "bfloat16")

_ROTATED = Given("query_rope")

_PACKED = Is("input_layout", "TND", "TND_NTD", "NTD_TND")

_LATENT = OfSize("query", -1, 512)

_ONE = OfAxis("query", "S", most=1)

_SEVERAL = OfAxis("query", "S", least=2)

_PARTS_OF_SECOND = "当input_layout为NZ时，数据类型为float16或bfloat16时，输入参数key和value的格式为[blockNum, KV_N, D/16, blockSize, 16]，数据类型为int8时，输入参数key和value的格式为[blockNum, KV_N, D/32, blockSize, 32]；"

_MODES_OF_SECOND = "sparse：Q_S等于1时只支持sparse=0且不传mask，Q_S大于1时只支持sparse=3且传入mask；"

_KEY_OF_SECOND = "key_rope配置时要求key的n为1，d为512，keyRope的shape中d为64，其余维度与key一致；"

_OF_SECOND = (
    Row(
        _SECOND,
        "masks of one latent",
        Values(("sparse_mode",), among=(0,)),
        _MODES_OF_SECOND,
        when=(_ROTATED, _LATENT, _ONE),
    ),
    Row(
        _SECOND,
        "no mask of one latent",
        Excluded(("atten_mask",)),
        _MODES_OF_SECOND,
        when=(_ROTATED, _LATENT, _ONE),
    ),
    Row(
        _SECOND,
        "masks of several latents",
        Values(("sparse_mode",), among=(3,)),
        _MODES_OF_SECOND,
        when=(_ROTATED, _LATENT, _SEVERAL),
    ),
    Row(
        _SECOND,
        "one head of keys of latents of a batch",
        Values(("num_key_value_heads",), among=(1,)),
        _KEY_OF_SECOND,
        when=(_ROTATED, _LATENT),
    ),
    Row(
        _SECOND,
        "as many rotated parts as keys of latents",
        SameSize("key_rope", 0, "key", 0),
        _KEY_OF_SECOND,
        when=(_ROTATED, _LATENT),
    ),
    Row(
        _SECOND,
        "tokens of latents",
        Axis("query", "S", least=1, most=16),
        "query_rope配置时要求query的s为1-16、n为1/2/4/8/16/32/64/128，query_rope的shape中d为64，其余维度与query一致；",
        when=(_ROTATED, _LATENT),
    ),
    Row(
        _SECOND,
        "heads of latents of a batch",
        Values(("num_query_heads",), among=(1, 2, 4, 8, 16, 32, 64, 128)),
        "query_rope配置时要求query的s为1-16、n为1/2/4/8/16/32/64/128，query_rope的shape中d为64，其余维度与query一致；",
        when=(_ROTATED, _LATENT),
    ),
    Row(
        _SECOND,
        "layouts of latents",
        Values(
            ("input_layout",),
            among=("BSH", "BSND", "BNSD", "BNSD_NBSD", "BSND_NBSD", "BSH_NBSD", "TND", "TND_NTD"),
        ),
        "input_layout形状支持BSH、BSND、BNSD、BNSD_NBSD、BSND_NBSD、BSH_NBSD、TND、TND_NTD",
        when=(_ROTATED, _LATENT),
    ),
    Row(
        _SECOND,
        "columns of a part of latents",
        Sizes(("key", "value"), -1, among=(16,)),
        _PARTS_OF_SECOND,
        when=(_ROTATED, OfRank("key", 5), OfDtype("key", *_HALF)),
    ),
    Row(
        _SECOND,
        "columns of a part of latents of int8",
        Sizes(("key", "value"), -1, among=(32,)),
        _PARTS_OF_SECOND,
        when=(_ROTATED, OfRank("key", 5), OfDtype("key", "int8")),
    ),
    Row(
        _SECOND,
        "what latents go without",
        Excluded(("pse_shift", "quant_scale_out", "quant_offset_out")),
        "不支持开启左padding、tensorlist、pse、prefix、伪量化、后量化、空Tensor。",
        when=(_ROTATED, _LATENT),
    ),
    Row(
        _SECOND,
        "no scales of keys beside latents",
        Excluded(("dequant_scale_key", "dequant_scale_value")),
        "不支持开启左padding、tensorlist、pse、prefix、伪量化、后量化、空Tensor。",
        when=(_ROTATED, _LATENT, OfDtype("query", *_HALF)),
    ),
    Row(
        _SECOND,
        "packed latents lie in a paged cache",
        Demanded(("block_table",)),
        "必须开启page attention，此时actual_seq_kvlen长度等于key/value的batch值，代表每个batch的实际长度，值不大于KV_S；",
        when=(_PACKED, _LATENT),
    ),
    Row(
        _SECOND,
        "what packed latents go without",
        # The section on latents describes queries of int8, and names packed ones, which this sentence does not.
        Excluded(("pse_shift", "quant_scale_out", "quant_offset_out")),
        "不支持开启左padding、tensorlist、pse、prefix、伪量化、全量化、后量化、空Tensor。",
        when=(_PACKED, _LATENT),
    ),
    Row(
        _SECOND,
        "size of the rotated part of packed keys",
        Sizes(("key_rope",), -1, among=(64,)),
        "keyRope配置时要求keyRope的shape中d为64，其余维度与key一致。",
        when=(_ROTATED, OfSize("query", -1, 128), _PACKED),
    ),
    Row(
        _SECOND,
        "shape of the rotated part of packed keys",
        SameShape(("key_rope", "key"), but_last=1),
        "keyRope配置时要求keyRope的shape中d为64，其余维度与key一致。",
        when=(_ROTATED, OfSize("query", -1, 128), _PACKED),
    ),
)

_OF_BOTH_LATENTS = (
    "入参dequant_scale_query、dequant_scale_key、dequant_scale_value需要同时存在，且其数据类型仅支持FP32。"
)

_WHOLE_NUMBERS = (_ROTATED, OfDtype("query", "int8"))

_OF_INT8 = (
    Row(
        _SECOND,
        "scales of latents of int8",
        Demanded(("dequant_scale_query", "dequant_scale_key", "dequant_scale_value")),
        _OF_BOTH_LATENTS,
        when=_WHOLE_NUMBERS,
    ),
    Row(
        _SECOND,
        "dtype of scales of latents of int8",
        Dtypes(("dequant_scale_query", "dequant_scale_key", "dequant_scale_value"), ("float32",)),
        _OF_BOTH_LATENTS,
        when=_WHOLE_NUMBERS,
    ),
    Row(
        _SECOND,
        "no quantised output of latents of int8",
        Excluded(("quant_scale_out", "quant_offset_out", "dequant_offset_key", "dequant_offset_value")),
        "不支持传入quant_scale_out、quant_offset_out、dequant_offset_key、dequant_offset_value（即不为nullptr），否则报错并返回。",
        when=_WHOLE_NUMBERS,
    ),
    Row(
        _SECOND,
        "scales of queries of int8",
        Values(("query_quant_mode",), among=(3,)),
        "query_quant_mode仅支持per-token叠加per-head模式，key_quant_mode和value_quant_mode仅支持per-tensor模式。",
        when=_WHOLE_NUMBERS,
    ),
    Row(
        _SECOND,
        "scales of keys of int8",
        Values(("key_quant_mode", "value_quant_mode"), among=(0,)),
        "query_quant_mode仅支持per-token叠加per-head模式，key_quant_mode和value_quant_mode仅支持per-tensor模式。",
        when=_WHOLE_NUMBERS,
    ),
    Row(
        _SECOND,
        "kind of scales of queries",
        Values(("query_quant_mode",), among=(3,)),
        "仅支持传入3，代表模式3：代表per-token叠加per-head模式.",
        when=(Given("dequant_scale_query"),),
    ),
    Row(
        _SECOND,
        "scales of queries are of tokens and heads",
        Values(("query_quant_mode",), among=(3,)),
        "dequant_scale_query: Tensor类型. 数据格式支持ND, query的反量化参数. 仅支持per-token叠加per-head.",
        when=(Given("dequant_scale_query"),),
    ),
)

ROWS = (
    *_OF_SECOND,
    *_OF_INT8,
)
