"""Sentences about products of matrices."""

from torch_npu_sim.strictness.left_out import LeftOut, Why

_QUANT = ("npu_quant_matmul",)
_GROUPED = ("npu_grouped_matmul",)
_WEIGHT = ("npu_weight_quant_batchmatmul",)
_TRANSPOSE = ("npu_transpose_batchmatmul",)
_PACK = ("npu_convert_weight_to_int4pack",)

LEFT_OUT: tuple[LeftOut, ...] = (
    LeftOut(
        _QUANT,
        Why.DESCRIBES,
        (
            "默认值为None, 代表输出Tensor数据类型为int8",
            "如果output_dtype为torch.",
            "支持将x2转为昇腾亲和的数据排布以提高搬运效率",
        ),
    ),
    LeftOut(
        _QUANT,
        Why.UNSEEN,
        (
            "如需传入int64数据类型的scale, 需要提前调用",
            "图模式不支持scale直接传入float32数据类型",
            "如果在PyTorch图模式中使用本接口",
        ),
    ),
    LeftOut(_QUANT, Why.ELSEWHERE, ("的数据类型和数据格式需要在支持的范围之内",)),
    LeftOut(
        _GROUPED,
        Why.DESCRIBES,
        (
            "算子功能: npu_grouped_matmul是一种",
            "用于缩放原数值以匹配量化后的范围值",
            "用于缩放原数值以匹配伪量化后的范围值",
            "配置值要求如下:",
            "0/1: 输出为多个张量",
            "None: 默认值, 表示输出数据类型",
            "返回的张量数量与weight相同",
            "当前PyTorch不支持int4类型数据",
        ),
    ),
    LeftOut(
        _GROUPED,
        Why.SCHEMA,
        (
            "用于指定切分模式. 数据类型支持torch.int32",
            "代表需要分组的轴. 数据类型支持torch.int32",
            "代表group_list的表达形式. 数据类型支持torch.int32",
            "代表激活函数类型. 数据类型支持torch.int32",
        ),
    ),
    LeftOut(
        _GROUPED,
        Why.ELSEWHERE,
        ("与输出y数据类型一致的类型, 具体参考约束说明", "量化、伪量化仅支持group_type为-1和0场景"),
    ),
    LeftOut(_GROUPED, Why.DEVICES, ("输入输出只支持float16的数据类型, 输出y的n轴大小需要是16的倍数",)),
    LeftOut(_WEIGHT, Why.DESCRIBES, ("当输入存在quant_scale时输出数据类型为int8",)),
    LeftOut(
        _WEIGHT,
        # Of a weight of one pack nothing tells whether it is transposed.
        Why.UNSEEN,
        (
            "当输入weight为FRACTAL_NZ格式时暂不支持单算子调用",
            "如需传入int64数据类型的quant_scale, 需要提前调用",
            "per-group场景需满足x为转置输入",
            "不支持输入weight shape为(1, 8)且类型为int4",
        ),
    ),
    LeftOut(_TRANSPOSE, Why.DESCRIBES, ("y(Tensor, 计算输出)",)),
    LeftOut(_PACK, Why.DESCRIBES, ("输出为Tensor类型, 代表int4打包后的输出",)),
)
