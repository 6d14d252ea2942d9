"""Sentences about norms, caches, rotation and quantising."""

from torch_npu_sim.strictness.left_out import LeftOut, Why

_DYNAMIC = ("npu_dynamic_quant",)
_STATIC = ("npu_quantize",)
_ROTARY = ("npu_rotary_mul",)
_APPLY = ("npu_apply_rotary_pos_emb",)
_SCATTER = ("npu_scatter_pa_kv_cache",)
_UPDATE = ("npu_scatter_nd_update_",)
_DELTA = ("npu_chunk_gated_delta_rule", "npu_recurrent_gated_delta_rule")
_NORM_DYNAMIC = ("npu_add_rms_norm_dynamic_quant",)
_NORM_STATIC = ("npu_add_rms_norm_quant",)
_CLIPPED = ("npu_clipped_swiglu",)
_GELU = ("npu_fast_gelu",)

LEFT_OUT: tuple[LeftOut, ...] = (
    LeftOut(_DYNAMIC, Why.DESCRIBES, ("y: 量化后的输出Tensor", "非对称动态量化过程中计算出的缩放系数")),
    LeftOut(_STATIC, Why.DESCRIBES, ("如果axis大于-2, 量化的elemwise轴", "公式中的输出, 输出大小与input一致")),
    LeftOut(_STATIC, Why.UNSEEN, ("input数据格式为NZ时",)),
    LeftOut(_ROTARY, Why.DESCRIBES, ("建议不使用该融合算子", "half模式仅在以下场景时推荐使用")),
    LeftOut(
        _ROTARY,
        # Gradients, and what goes with jit_compile=True alone.
        Why.UNSEEN,
        (
            "当需要计算cos/sin的反向梯度时",
            "仅支持rotary_mode为half模式，且r1/r2 layout一般为",
            "其中B维度和N维度数值需小于等于1000，D维度数值为128",
            "广播轴的总数据量不能超过1024",
        ),
    ),
    LeftOut(
        _APPLY,
        Why.DEVICES,
        (
            "Atlas 350 加速卡",
            "对于任意layout，query与key除N维度外其他维度必须相同",
            "cos、sin输入shape的最后一维（D）必须相等，且小于等于query、key",
            "2. 输入张量query、key、cos、sin的数据类型必须相同。",
            '3. rotary_mode为"half"和"interleave"时',
            'rotary_mode为"quarter"时，输入shape最后一维必须被4整除',
        ),
    ),
    LeftOut(_SCATTER, Why.DESCRIBES, ("其中k_head_size与v_head_size", "当前layer的value cache。")),
    LeftOut(
        _SCATTER,
        # The reference has no compressed caches at all.
        Why.ELSEWHERE,
        (
            "表示压缩量，数据类型与slot_mapping一致",
            "每个batch每个head的压缩起点，数据类型与slot_mapping一致",
            "每个batch的实际seqLens，数据类型与slot_mapping一致",
            "reduceSum(seq_lens[i] - compress_lens[i])",
        ),
    ),
    LeftOut(_UPDATE, Why.DEVICES, ("Atlas 训练系列产品：",)),
    LeftOut(_DELTA, Why.SCHEMA, ("数据类型支持float32。",)),
    LeftOut(_DELTA, Why.DESCRIBES, ("输出的数据类型为bfloat16",)),
    LeftOut(
        _NORM_DYNAMIC,
        Why.DESCRIBES,
        (
            "y_dtype=torch.int8时dtype为int8",
            "支持非连续的Tensor，不支持空Tensor",
            "dtype、shape与y1一致",
            "shape、数据类型与x1一致",
            "如果y2Out为有效输出时",
        ),
    ),
    LeftOut(
        _NORM_STATIC,
        Why.DESCRIBES,
        (
            "当前仅支持-1，传其他值均不生效",
            "shape需要与输入x1/x2一致",
            "数据类型支持INT8，数据格式支持ND",
            "数据类型支持BFLOAT16、FLOAT16，需要与输入x1、x2一致",
        ),
    ),
    LeftOut(_NORM_STATIC, Why.SCHEMA, ("epsilon：用于防止除0错误，数据类型为double",)),
    LeftOut(
        _CLIPPED,
        Why.DESCRIBES,
        ("切分方式分为前后切分或者奇偶切分", "(5)重塑输出张量y的维度数量", "y：Tensor类型，表示激活函数的输出"),
    ),
    LeftOut(_GELU, Why.DEVICES, ("Atlas 训练系列产品: 数据类型支持float16、float32.",)),
    LeftOut(_GELU, Why.SCHEMA, ("input输入不能含有None",)),
)
