"""Writing into what is kept: paged caches of keys and values, and rows of a tensor."""

from torch_npu_sim.strictness.conditions import OfRank, OfSize
from torch_npu_sim.strictness.demands import Contiguous, Dtypes, Ranks, SameDtype, SameShape, SameSize, Sizes
from torch_npu_sim.strictness.demands_of_shapes import NotAbove, SameRank
from torch_npu_sim.strictness.demands_of_values import Demanded, NoRepeats, Unchecked, Values
from torch_npu_sim.strictness.row import Row

_SCATTER = ("npu_scatter_pa_kv_cache",)
_UPDATE = ("npu_scatter_nd_update_",)

_OF_CACHE = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float8_e5m2", "float8_e4m3fn")
_SLOTS = "slot_mapping的值范围[0,num_blocks*block_size-1]，且slot_mapping内的元素值保证不重复，重复时不保证正确性；"
_COMPRESSED = "当key和value都是4维，则key和value的前三维shape必须相同，且key_cache和value_cache的第三维必须是1；"
_SLOTS_COMPRESSED = "当key和value都是4维时，slot_mapping是二维，且slot_mapping的第一维值等于key的第一维为batch，slot_mapping的第二维值等于key的第三维为num_head(对应场景三)；"
_LENGTHS_COMPRESSED = "当key和value都是4维时，seq_lens是一维，且seq_lens的值等于key的第一维为batch(对应场景三)；"
_OF_COMPRESSION = (OfRank("key", 4),)

_ROWS_OF_CACHE = (
    Row(
        _SCATTER,
        "dtype of keys",
        Dtypes(("key",), ("float16", "float32", "bfloat16", *_OF_CACHE)),
        "数据类型支持float16、float、bfloat16、int8、uint8、int16、uint16、int32、uint32、hifloat8、float8_e5m2、float8_e4m3fn，数据格式支持ND。",
    ),
    Row(
        _SCATTER,
        "dimensions of keys",
        Ranks(("key",), 3, 4),
        "表示待更新的key值，当前step多个token的key，支持3维或4维。",
    ),
    Row(
        _SCATTER,
        "dimensions of values",
        Ranks(("value",), 3, 4),
        "表示待更新的value值，当前step多个token的value，支持3维或4维，数据类型和数据格式与key保持一致。",
    ),
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
        "heads of compressed caches",
        Sizes(("key_cache", "value_cache"), 2, among=(1,)),
        _COMPRESSED,
        when=_OF_COMPRESSION,
    ),
    Row(
        _SCATTER,
        "lengths of compressed caches are given",
        Demanded(("compress_lens", "seq_lens")),
        "当key和value是4维时，compress_lens、seq_lens为必选参数；",
        when=_OF_COMPRESSION,
    ),
    Row(
        _SCATTER,
        "dimensions of compressed slots",
        Ranks(("slot_mapping",), 2, 2),
        _SLOTS_COMPRESSED,
        when=_OF_COMPRESSION,
    ),
    Row(
        _SCATTER,
        "compressed slots of requests",
        SameSize("slot_mapping", 0, "key", 0),
        _SLOTS_COMPRESSED,
        when=_OF_COMPRESSION,
    ),
    Row(
        _SCATTER,
        "compressed slots of heads",
        SameSize("slot_mapping", -1, "key", 2),
        _SLOTS_COMPRESSED,
        when=_OF_COMPRESSION,
    ),
    Row(
        _SCATTER,
        "dimensions of compressed lengths",
        Ranks(("seq_lens",), 1, 1),
        _LENGTHS_COMPRESSED,
        when=_OF_COMPRESSION,
    ),
    Row(
        _SCATTER,
        "compressed lengths of requests",
        SameSize("seq_lens", 0, "key", 0),
        _LENGTHS_COMPRESSED,
        when=_OF_COMPRESSION,
    ),
    Row(
        _SCATTER,
        "formats of caches",
        Values(("cache_mode",), among=("Norm", "PA_NZ")),
        "当传None或'Norm'时，仅支持ND内存排布格式。当传入'PA_NZ'时，仅支持NZ内存排布格式，默认值为'PA_NZ'。",
    ),
)

_INDICES = "indices：Tensor类型，必选输入，索引张量，数据类型支持int32、int64，数据格式支持ND，支持非连续的Tensor，indices中的索引数据不支持越界。"
_DEPTH = "indices至少是2维，其最后1维的大小不能超过input的维度大小。"

_ROWS_OF_UPDATE = (
    Row(
        _UPDATE,
        "dtypes",
        Dtypes(("self", "updates"), ("float32", "float16", "bool", "bfloat16", "int64", "int8")),
        "数据类型支持float32、float16、bool、bfloat16、int64、int8。",
    ),
    Row(
        _UPDATE,
        "one dtype",
        SameDtype(("self", "updates")),
        "updates：Tensor类型，必选输入，更新数据张量，数据格式支持ND，支持非连续的Tensor，数据类型需要与input一致。",
    ),
    Row(
        _UPDATE,
        "dimensions of the input",
        Ranks(("self",), 1, 8),
        "input：Tensor类型，必选输入，源数据张量，数据格式支持ND，支持非连续的Tensor，数据类型需要与updates一致，维度只能是1~8维。",
    ),
    Row(_UPDATE, "dtype of indices", Dtypes(("indices",), ("int32", "int64")), _INDICES),
    Row(_UPDATE, "dimensions of indices", Ranks(("indices",), 2, 64), _DEPTH),
    Row(
        _UPDATE,
        "rows that there are",
        NotAbove("indices", "self", of_dimension=0, less=1),
        _INDICES,
        when=(OfSize("indices", -1, 1),),
    ),
    Row(_UPDATE, "indices are not negative", Values(("indices",), least=0), _INDICES),
    Row(_UPDATE, "depth of indices", NotAbove("indices", "self", dimension=-1), _DEPTH),
    Row(
        _UPDATE,
        "an update for each row",
        SameSize("updates", 0, "indices", 0),
        "则updates的shape等于indices除最后1维外的shape加上input除前a维外的shape。",
    ),
    Row(
        _UPDATE,
        "dimensions of updates of rows",
        SameRank(("self", "updates")),
        "举例：input的shape是(4, 5, 6)，indices的shape是(3, 2)，则updates的shape必须是(3, 6)。",
        when=(OfSize("indices", -1, 1), OfRank("indices", 2)),
    ),
)

ROWS = (*_ROWS_OF_CACHE, *_ROWS_OF_UPDATE)
