"""``npu_fused_infer_attention_score`` and ``_v2``: scales of keys and of values with several query tokens."""

from torch_npu_sim.strictness.attention_versions import FIRST, SECOND
from torch_npu_sim.strictness.conditions import Given, Is, Not, OfAxis, OfRank
from torch_npu_sim.strictness.demands import Dtypes, Ranks
from torch_npu_sim.strictness.demands_of_values import Excluded, Values
from torch_npu_sim.strictness.row import Row

_SEVERAL = OfAxis("query", "S", least=2)

_PAGED = Given("block_table")

#: Of latents the second version describes scales by sentences of their own.
_OTHERS = Not(Given("query_rope"))

_OF_FIRST = (
    *(
        Row(
            FIRST.operators,
            f"mode of scales of {what} of several queries",
            Values((mode,), among=(1,)),
            f"{mode}: 整型, 表示{what}的伪量化方式",
            when=(Given(FIRST.key_scale), _SEVERAL),
        )
        for what, mode in (("key", FIRST.key_mode), ("value", FIRST.value_mode))
    ),
    Row(
        FIRST.operators,
        "dtype of scales of several queries",
        Dtypes((FIRST.key_scale, FIRST.value_scale), ("float32",)),
        "仅支持per-token模式, 且该模式下要求两个参数的shape均为(B, KV_S), 数据类型固定为float32.",
        when=(_SEVERAL,),
    ),
    Row(
        FIRST.operators,
        "dimensions of scales of several queries",
        Ranks((FIRST.key_scale, FIRST.value_scale), 2, 2),
        "仅支持per-token模式, 且该模式下要求两个参数的shape均为(B, KV_S), 数据类型固定为float32.",
        when=(_SEVERAL,),
    ),
    Row(
        FIRST.operators,
        "what several queries beside scales go without",
        Excluded(("query_padding_size", "kv_padding_size", "block_table", "key_shared_prefix", "value_shared_prefix")),
        "key_antiquant_scale与value_antiquant_scale非空场景, 不支持tensorlist、左padding、page attention、prefix特性.",
        when=(Given(FIRST.key_scale), _SEVERAL),
    ),
    Row(
        FIRST.operators,
        "no scales of several queries beside a paged cache",
        Excluded(("antiquant_scale", FIRST.key_scale)),
        "page attention不支持伪量化场景, 不支持tensorlist场景, 不支持左padding场景.",
        when=(_PAGED, _SEVERAL),
    ),
)

_APART = "仅支持per-token和per-channel模式，per-token模式下要求两个参数的shape均为(B, KV_S)，数据类型固定为float32；"

_WITHOUT_PARTS = (Given(SECOND.key_scale), _SEVERAL, _OTHERS, Not(OfRank("key", 5)))

_OF_SECOND = (
    Row(
        SECOND.operators,
        "modes of scales of several queries",
        # The paragraphs on both modes name 1 alone.
        Values((SECOND.key_mode, SECOND.value_mode), among=(0, 1)),
        _APART,
        when=(Given(SECOND.key_scale), _SEVERAL, _OTHERS),
    ),
    Row(
        SECOND.operators,
        "dtype of scales of tokens of several queries",
        Dtypes((SECOND.key_scale, SECOND.value_scale), ("float32",)),
        _APART,
        when=(_SEVERAL, _OTHERS, Is(SECOND.key_mode, 1)),
    ),
    Row(
        SECOND.operators,
        "dimensions of scales of tokens of several queries",
        Ranks((SECOND.key_scale, SECOND.value_scale), 2, 2),
        _APART,
        when=(_SEVERAL, _OTHERS, Is(SECOND.key_mode, 1)),
    ),
    Row(
        SECOND.operators,
        "dtype of scales of channels of several queries",
        Dtypes((SECOND.key_scale, SECOND.value_scale), ("bfloat16",)),
        "per-channel模式下要求两个参数的shape为（KV_N, D），(KV_N, D)，(H)，数据类型固定为bfloat16,H为KV_N*D.",
        when=(_SEVERAL, _OTHERS, Is(SECOND.key_mode, 0)),
    ),
    Row(
        SECOND.operators,
        "no paged cache of several queries beside scales",
        Excluded(("block_table",)),
        "dequant_scale_key与dequant_scale_value非空场景, 不支持tensorlist、page attention特性.",
        when=_WITHOUT_PARTS,
    ),
    Row(
        SECOND.operators,
        "no scales of several queries beside a paged cache",
        Excluded((SECOND.key_scale,)),
        "page attention不支持伪量化场景, 不支持tensorlist场景.",
        # In parts keys of int8 lie in a paged cache alone.
        when=(_PAGED, *_WITHOUT_PARTS),
    ),
)

ROWS = (
    *_OF_FIRST,
    *_OF_SECOND,
)
