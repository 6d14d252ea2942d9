"""Sentences about mixtures of experts."""

from torch_npu_sim.strictness.left_out import LeftOut, Why

_SORT = ("npu_moe_init_routing_v2",)
_GATE = ("npu_moe_gating_top_k",)
_SOFTMAX = ("npu_moe_gating_top_k_softmax",)
_THERE = ("npu_moe_token_permute",)
_BACK = ("npu_moe_token_unpermute",)

LEFT_OUT: tuple[LeftOut, ...] = (
    LeftOut(
        _SORT,
        Why.DESCRIBES,
        (
            "-1和0均表示按全部tokens处理",
            "expanded_x：Tensor类型",
            "量化场景下数据类型支持int8。",
            "available_idx_num为expert_idx中在active_expert_range范围的元素的个数",
            "当x的数据类型为int8时，输出值未定义",
            "expanded_row_idx：Tensor类型",
            "expert_token_cumsum_or_count：Tensor类型",
            "在expert_tokens_num_type为1的场景下",
            "在expert_tokens_num_type为2的场景下",
            "有效元素对是指expert_idx在active_expert_range范围内",
            # Which of several ways it is computed.
            "性能模板需要",
            "x、expert_idx、scale输入Shape要求分别为",
            "x数据类型要求：bfloat16",
            "属性要求：active_expert_range=[0, 256]",
            "NUM_ROWS范围为[384, 8192]",
            "expert_end-expert_start<=32",
        ),
    ),
    # "Not checked where nothing is dropped", and the default is -1.
    LeftOut(_SORT, Why.CONTRADICTED, ("表示每个专家能够处理的tokens数，取值范围大于等于0",)),
    LeftOut(
        _SORT,
        Why.ELSEWHERE,
        (
            "表示是否为drop_pad场景，取值为0和1",
            "expert_tokens_num_type：int类型，可选参数，取值为0、1和2",
            "表示量化模式，支持取值为0、1、-1",
        ),
    ),
    LeftOut(
        _GATE,
        Why.SCHEMA,
        (
            "表示每个token最终筛选得到的专家个数，数据类型为`int64`",
            "代表其之前的变量是位置相关",
            "之后的变量是可选参数，位置无关",
            "选出的专家组个数，数据类型为`int64`",
            "表示将全部专家划分的组数，数据类型为`int64`",
        ),
    ),
    LeftOut(
        _GATE,
        Why.DESCRIBES,
        ("是一个2D的Tensor，数据类型与`x`一致", "shape与y_out一致", "shape与`x`一致，数据类型为`float32`"),
    ),
    LeftOut(_SOFTMAX, Why.DESCRIBES, ("y: Tensor类型, 对x做softmax后", "expert_idx: Tensor类型", "row_idx: Tensor类型")),
    LeftOut(
        _THERE,
        Why.DESCRIBES,
        (
            "大于0时按照num_out_tokens对",
            "小于0时按负的切片索引进行处理",
            "permuted_tokens(torch.Tensor)：",
            "除第一维外其余维度大小与tokens保持一致",
            "sorted_indices(torch.Tensor)：",
            "tokens与permuted_tokens的数据类型必须一致",
        ),
    ),
    LeftOut(
        _THERE,
        Why.DEVICES,
        ("int8类型的tokens和permuted_tokens仅支持Ascend 950PR", "在Ascend 950PR/Ascend 950DT上调用本接口"),
    ),
    LeftOut(
        _BACK,
        Why.DESCRIBES,
        (
            "padded_mode为True时restore_shape生效",
            "unpermuted_tokens(torch.Tensor)：",
            "padded_mode为False时shape为(tokens_num, hidden_size)",
        ),
    ),
    LeftOut(_BACK, Why.ELSEWHERE, ("当前仅支持False。",)),
)
