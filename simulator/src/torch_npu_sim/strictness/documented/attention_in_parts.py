"""``npu_fused_infer_attention_score_v2``: keys of int8 in format NZ, and their scales."""

from torch_npu_sim.strictness.attention_versions import SECOND
from torch_npu_sim.strictness.conditions import Condition, Given, Is, OfAxis, OfDtype, OfRank
from torch_npu_sim.strictness.demands import Dtypes, Ranks, Sizes
from torch_npu_sim.strictness.demands_by_layout import Axis, ReachesBlocks
from torch_npu_sim.strictness.demands_of_values import Demanded, Excluded, Values
from torch_npu_sim.strictness.row import Row

_SECOND = SECOND.operators

_SEVERAL = OfAxis("query", "S", least=2)

#: Keys of int8 in format NZ; beside latents in it queries are of int8, too.
_NZ: tuple[Condition, ...] = (Given("dequant_scale_key"), OfRank("key", 5), OfDtype("query", "bfloat16"))

_SCALES = ("dequant_scale_key", "dequant_scale_value")

_OF_PARTS = (
    Row(_SECOND, "size of heads in parts", Axis("query", "D", among=(128,)), "query&key&value的D仅支持128；", when=_NZ),
    Row(
        _SECOND,
        "tokens of queries in parts",
        Axis("query", "S", least=1, most=16),
        "query Sequence Length仅支持1-16；",
        when=_NZ,
    ),
    Row(
        _SECOND,
        "layouts in parts",
        Values(("input_layout",), among=("BSH", "BSND", "BNSD")),
        "input_layout仅支持BSH、BSND、BNSD；",
        when=_NZ,
    ),
    Row(
        _SECOND,
        "parts lie in a paged cache",
        Demanded(("block_table",)),
        "仅支持page_attention场景，blockSize仅支持128或512；",
        when=_NZ,
    ),
    Row(
        _SECOND,
        "tokens of a block in parts",
        Values(("block_size",), among=(128, 512)),
        "仅支持page_attention场景，blockSize仅支持128或512；",
        when=_NZ,
    ),
    Row(
        _SECOND,
        "columns of a part",
        Sizes(("key", "value"), -1, among=(32,)),
        "key&value仅支持NZ输入，输入格式为[blockNum, KV_N, D/32, blockSize, 32]；",
        when=_NZ,
    ),
    Row(
        _SECOND,
        "dtype of scales of channels in parts",
        Dtypes(_SCALES, ("bfloat16",)),
        "dequant_scale_key和dequant_scale_value的dtype：per-channel模式下，仅支持bfloat16类型；",
        when=(*_NZ, Is("key_quant_mode", 0), Is("value_quant_mode", 0)),
    ),
    Row(
        _SECOND,
        "dtype of scales of tokens in parts",
        Dtypes(_SCALES, ("float32",)),
        "per-token模式下，仅支持float32类型；",
        when=(*_NZ, Is("key_quant_mode", 1), Is("value_quant_mode", 1)),
    ),
    Row(
        _SECOND,
        "scales of channels without heads of their own",
        Ranks(_SCALES, 1, 1),
        "dequant_scale_key和dequant_scale_value的shape：per-channel模式下，当layout为BSH时，必须传入[H]；",
        when=(*_NZ, Is("key_quant_mode", 0), Is("value_quant_mode", 0), Is("input_layout", "BSH")),
    ),
    Row(
        _SECOND,
        "scales of channels by heads before tokens",
        Ranks(_SCALES, 3, 3),
        "layout为BNSD时，必须传入[KV_N,1,D]；",
        when=(*_NZ, Is("key_quant_mode", 0), Is("value_quant_mode", 0), Is("input_layout", "BNSD")),
    ),
    Row(
        _SECOND,
        "scales of channels by heads behind tokens",
        Ranks(_SCALES, 2, 2),
        "输出为BSND时，必须传入[KV_N, D]；",
        when=(*_NZ, Is("key_quant_mode", 0), Is("value_quant_mode", 0), Is("input_layout", "BSND")),
    ),
    Row(
        _SECOND,
        "dimensions of scales of tokens in parts",
        Ranks(_SCALES, 2, 2),
        "per-token模式下，必须传入[B,KV_S]，S需要大于等于blockTable的第二维*blockSize；",
        when=(*_NZ, Is("key_quant_mode", 1), Is("value_quant_mode", 1)),
    ),
    Row(
        _SECOND,
        "scales of tokens in parts as wide as the rows of the block table",
        ReachesBlocks("dequant_scale_key"),
        "per-token模式下，必须传入[B,KV_S]，S需要大于等于blockTable的第二维*blockSize；",
        when=(*_NZ, Is("key_quant_mode", 1), Is("value_quant_mode", 1)),
    ),
    Row(
        _SECOND,
        "precision in parts",
        Values(("inner_precise",), among=(1,)),
        "仅支持高性能模式；",
        when=_NZ,
    ),
    Row(
        _SECOND,
        "masks of several queries in parts",
        Values(("sparse_mode",), among=(3,)),
        "当MTP大于0、小于16时，支持sparse_mode=3且传入优化后的atten_mask矩阵，atten_mask矩阵shape必须传入（2048*2048）；",
        when=(*_NZ, _SEVERAL),
    ),
    Row(
        _SECOND,
        "no offsets in parts",
        Excluded(("dequant_offset_key", "dequant_offset_value")),
        "不支持配置dequant_offset_key和dequant_offset_value;",
        when=_NZ,
    ),
    Row(
        _SECOND,
        "no rotated keys in parts",
        Excluded(("query_rope", "key_rope")),
        "不支持配置query_rope和key_rope；",
        when=_NZ,
    ),
    Row(
        _SECOND,
        "what parts go without",
        Excluded(("pse_shift", "quant_scale_out", "quant_offset_out")),
        "不支持左padding、tensorlist、pse、prefix、后量化；",
        when=_NZ,
    ),
)

ROWS = (*_OF_PARTS,)
