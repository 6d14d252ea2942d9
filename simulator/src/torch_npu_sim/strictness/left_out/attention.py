"""Sentences about attention, rotation and caches."""

from torch_npu_sim.strictness.left_out import LeftOut, Why

_FIRST = ("npu_fused_infer_attention_score",)
_SECOND = ("npu_fused_infer_attention_score_v2",)
_BOTH = (*_FIRST, *_SECOND)
_PROMPTS = ("npu_prompt_flash_attention",)
_TRAINING = ("npu_fusion_attention",)
_UPDATE = ("npu_attention_update",)

LEFT_OUT: tuple[LeftOut, ...] = (
    LeftOut(
        _BOTH,
        Why.SCHEMA,
        (
            "代表其之前的变量是位置相关, 需要按照顺序输入",
            "int类型数组, 代表不同Batch中key/value的有效seqlenKv",
            "浮点型, 公式中d开根号的倒数",
            "表示attention需要和前几个Token计算关联",
            "表示attention需要和后几个Token计算关联",
            "整型, PageAttention中KV存储每个block中最大的token个数",
            # Key and value are one tensor each.
            "非连续场景下key、value的tensorlist中的batch只能为1",
        ),
    ),
    LeftOut(
        _BOTH,
        Why.DESCRIBES,
        (
            "如果Q_S、KV_S非16或32对齐，可以向上取到对齐的S",
            "attention_out: Tensor类型, 公式中的输出",
            "softmaxLse: Tensor类型, ring attention算法",
            "入参为空的处理: 算子内部需要判断参数query是否为空",
            "当Q_S大于1时:",
            "默认为query右padding场景",
            "默认为kv右padding场景",
            "kv_padding_size小于0时将被置为0",
            "数据类型为float16且pse_shift存在时, 强制走高精度模式",
        ),
    ),
    LeftOut(
        _BOTH,
        Why.ELSEWHERE,
        (
            # Rows on the compressed modes.
            "需要传入优化后的atten_mask矩阵(2048*2048)",
            # Of the same dtypes is the query at all times.
            "支持query数据类型为float16或bfloat16或int8场景下使用该功能",
            # The row that names dtypes in small letters.
            "不支持Q为BF16/FP16且KV为INT4(INT32)的场景",
            # References take neither a whole mask beside a paged cache nor a shift, nor an offset of results.
            "以下场景输入需满足KV_S>=maxBlockNumPerSeq*blockSize",
            "sparse_mode=3, 每个batch actual_seq_",
        ),
    ),
    LeftOut(
        _BOTH,
        Why.UNSEEN,
        (
            "需要保证CANN相关包与PyTorch相关包的版本匹配",
            "PyTorch入图调用仅支持KV int4拼接成int32输入",
        ),
    ),
    LeftOut(_FIRST, Why.DESCRIBES, ("其余情况该参数的shape需要与入参query的shape保持一致",)),
    LeftOut(
        _FIRST,
        Why.ELSEWHERE,
        (
            # Rows of sentences that say the same in other words.
            "其他layout要求乘积等于N*D. 当输出layout为BSH时",
            "page attention不支持tensorlist场景, 不支持左padding场景",
            # References take no padding, and no prefix.
            "query的搬运起点不能小于0, 终点不能大于Q_S",
            "key和value的搬运起点不能小于0, 终点不能大于KV_S",
            "则S2需大于等于actual_shared_prefix_len与key的S长度之和",
        ),
    ),
    LeftOut(_FIRST, Why.DESCRIBES, ("其中kvCache的搬运起点或终点小于0时, 返回数据结果为全0",)),
    LeftOut(
        _FIRST,
        Why.CONTRADICTED,
        (
            # Mode 9 is described, too.
            "参数sparse_mode当前仅支持值为0、1、2、3、4的场景",
            # Of these products the same section says that keys over a paged cache are not of int4.
            "支持`key`、`value`数据类型为`int8`、`int4`",
        ),
    ),
    LeftOut(
        _SECOND,
        Why.DESCRIBES,
        (
            "但如果Q_S、KV_S非16或32对齐, 可以向上取到对齐的S",
            "sparse_mode: 整型, 表示sparse的模式. 数据类型支持int64",
        ),
    ),
    LeftOut(
        _SECOND,
        Why.ELSEWHERE,
        (
            # The row on sparse modes.
            "分别代表prefix、global、dilated、block_local, 均暂不支持",
            "其余约束同TND、NTD_TND场景下的综合限制保持一致",
        ),
    ),
    # There are no other scales of keys and values.
    LeftOut(_SECOND, Why.SCHEMA, ("仅支持KV分离；",)),
    LeftOut(_SECOND, Why.UNSEEN, ("不支持图模式配置Tiling调度优化（tiling_schedule_optimize=True）、reduce-overhead",)),
    LeftOut(
        _PROMPTS,
        Why.SCHEMA,
        (
            "代表其之前的变量是位置相关, 需要按照顺序输入",
            "num_heads: int类型数组, 代表query的head个数",
            "浮点型, 公式中d开根号的倒数",
            # There is no such argument.
            "kv伪量化参数分离当前暂不支持",
        ),
    ),
    LeftOut(
        _PROMPTS,
        Why.DESCRIBES,
        (
            "atten_out: Tensor类型, 计算的最终结果, shape与query保持一致",
            "入参为空的处理: 算子内部需要判断参数query是否为空",
            "当输出为BSND时, 建议传入(1, 1, N, D)或(N, D)",
            "数据类型为float16且pse_shift存在时, 强制走高精度模式",
        ),
    ),
    LeftOut(_PROMPTS, Why.UNSEEN, ("需要保证CANN相关包与PyTorch相关包的版本匹配",)),
    LeftOut(
        _PROMPTS,
        Why.ELSEWHERE,
        (
            "分别代表prefix、global、dilated、block_local, 均暂不支持",
            "其他layout要求乘积等于N*D. 当输出layout为BSH时",
            "支持query数据类型为float16或bfloat16或int8场景下使用该功能",
            # References take no offset of results.
            "sparseMode=3, 每个batch actual_seq_lengths_kv- actual_seq_lengths<0",
        ),
    ),
    # Where it is not aligned, it is at most 128, says the section on axes; the reference demands that.
    LeftOut(_PROMPTS, Why.CONTRADICTED, ("暂不支持D不对齐场景",)),
    LeftOut(
        _TRAINING,
        Why.SCHEMA,
        (
            "head_num: int类型, 代表head个数, 数据类型支持int64",
            "scale: 浮点型, 可选参数, 代表缩放系数",
            "pre_tockens: 整型, 用于稀疏计算的参数, 可选参数, 数据类型支持int64",
            "next_tockens: 整型, 用于稀疏计算的参数, 可选参数, 数据类型支持int64",
            "inner_precise: 整型, 用于提升精度, 数据类型支持int64",
            "prefix: int类型数组, 可选参数, 代表prefix稀疏计算场景每个Batch的N值",
            # There is one layout of all.
            "输入query、key、value的input_layout必须一致",
        ),
    ),
    LeftOut(
        _TRAINING,
        Why.DESCRIBES,
        (
            "如果算子可判断出存在无效行场景, 会自动使能无效行计算",
            "表1 sparse_mode不同取值场景说明",
            "不传mask: 如果atten_mask未传入则不做mask操作",
            "next_tockens取值为0, pre_tockens大于等于Sq, 表示causal场景sparse",
            "pre_tockens小于Sq, next_tockens小于Skv, 且都大于等于0, 表示band场景",
            "next_tockens范围无约束, 根据实际情况进行配置",
            "第1个输出为Tensor",
            "第2个输出为Tensor",
            "第3个输出为Tensor",
            "sparse_mode取值说明:",
        ),
    ),
    # A call does not show how the sequences were before they were cut.
    LeftOut(
        _TRAINING,
        Why.UNSEEN,
        ("用户需要确保外切前为使用sparse_mode", "且需要保证参数正确, 否则会存在精度问题. Masked QKT矩阵示意如下"),
    ),
    LeftOut(
        _TRAINING,
        Why.ELSEWHERE,
        (
            "5: prefix非压缩模式. varlen场景不支持",
            "1. 输入key和value的shape必须一致",
            # The reference takes the causal mask alone, whose values it looks at.
            "atten_mask中不能存在某一行全1的场景",
            "需保证atten_mask与pre_tockens、next_tockens的范围一致",
        ),
    ),
    LeftOut(_UPDATE, Why.DESCRIBES, ("out：Device侧的Tensor，形状为", "lse_out: Device侧的Tensor，形状为")),
)
