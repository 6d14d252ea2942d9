"""``npu_fusion_attention``: masks, bands, and sequences that are cut."""

from torch_npu_sim.strictness.conditions import Given, Is, OfLength
from torch_npu_sim.strictness.demands import Ranks, Sizes
from torch_npu_sim.strictness.demands_by_layout import Reaches
from torch_npu_sim.strictness.demands_of_values import (
    Excluded,
    Sum,
    Unchecked,
    Values,
)
from torch_npu_sim.strictness.row import Row

_OPERATOR = ("npu_fusion_attention",)
#: Of what one of several devices has of a sequence that is cut into parts.
_CUT = Is("sparse_mode", 7, 8)

ROWS = (
    Row(
        _OPERATOR,
        "a band that begins later",
        Sum(("pre_tockens", "next_tockens"), least=0),
        "说明: next_tockens为负数时, pre_tockens取值必须大于等于next_tockens的绝对值, 且next_tockens的绝对值小于Skv.",
        when=(Is("sparse_mode", 0), Given("atten_mask")),
    ),
    Row(
        _OPERATOR,
        "a band that ends earlier",
        Sum(("pre_tockens", "next_tockens"), least=0),
        "说明: pre_tockens为负数时, next_tockens取值必须大于等于pre_tockens的绝对值, 且pre_tockens的绝对值小于Sq.",
        when=(Is("sparse_mode", 0), Given("atten_mask")),
    ),
    Row(
        _OPERATOR,
        "a band is not empty",
        Sum(("pre_tockens", "next_tockens"), least=0),
        "参数起点为右下角, pre_tockens和next_tockens之间需要有交集.",
        when=(Is("sparse_mode", 4), Given("atten_mask")),
    ),
    Row(
        _OPERATOR,
        "a mask of each query",
        Reaches("atten_mask", -2, "query", "S"),
        "sparse_mode为1时, 代表allMask, 即传入完整的atten_mask矩阵.",
        when=(Is("sparse_mode", 1),),
    ),
    Row(
        _OPERATOR,
        "rows of a compressed mask",
        Sizes(("atten_mask",), -2, among=(2048,)),
        "atten_mask为优化后的压缩下三角矩阵(2048*2048)",
        when=(Is("sparse_mode", 2, 3, 4),),
    ),
    Row(
        _OPERATOR,
        "mask of prefixes",
        Ranks(("atten_mask",), 4, 4),
        "该场景下忽略pre_tockens、next_tockens取值, atten_mask矩阵数据格式须为BNSS或B1SS",
        when=(Is("sparse_mode", 5),),
    ),
    Row(
        _OPERATOR,
        "rows of a compressed mask of prefixes",
        Sizes(("atten_mask",), -2, among=(3072,)),
        "attenMask为优化后的压缩下三角+矩形的矩阵(3072*2048)",
        when=(Is("sparse_mode", 6),),
    ),
    Row(
        _OPERATOR,
        "columns of a compressed mask of prefixes",
        Sizes(("atten_mask",), -1, among=(2048,)),
        "attenMask为优化后的压缩下三角+矩形的矩阵(3072*2048)",
        when=(Is("sparse_mode", 6),),
    ),
    *(
        row
        for mode in (7, 8)
        for row in (
            Row(
                _OPERATOR,
                f"band of one sequence of mode {mode}",
                Sum(("pre_tockens", "next_tockens"), least=0),
                f"如果配置sparse_mode={mode}, 但实际只存在一个batch, 用户需按照band模式的要求来配置参数;",
                when=(Is("sparse_mode", mode), Given("atten_mask"), OfLength("actual_seq_qlen", 1)),
            ),
            Row(
                _OPERATOR,
                f"rows of the mask of mode {mode}",
                Sizes(("atten_mask",), -2, among=(2048,)),
                f"sparse_mode={mode}时, 用户需要输入2048x2048的下三角mask作为该融合算子的输入.",
                when=(Is("sparse_mode", mode),),
            ),
            Row(
                _OPERATOR,
                f"columns of the mask of mode {mode}",
                Sizes(("atten_mask",), -1, among=(2048,)),
                f"sparse_mode={mode}时, 用户需要输入2048x2048的下三角mask作为该融合算子的输入.",
                when=(Is("sparse_mode", mode),),
            ),
        )
    ),
    Row(
        _OPERATOR,
        "a band as wide as the last sequence",
        Unchecked("the reference refuses this mode; the demand is of a length that arguments have as a difference"),
        "pre_tockens >= last_Skv.",
        when=(Is("sparse_mode", 7),),
    ),
    Row(
        _OPERATOR,
        "a band as wide as the first sequence",
        Unchecked("the reference refuses this mode; the demand is of a length that arguments have as a difference"),
        "pre_tockens >= first_Skv.",
        when=(Is("sparse_mode", 8),),
    ),
    Row(
        _OPERATOR,
        "a band that does not look ahead",
        Values(("next_tockens",), most=0),
        "next_tockens <= 0.",
        when=(Is("sparse_mode", 7), Given("atten_mask")),
    ),
    Row(_OPERATOR, "no shift in a part", Excluded(("pse",)), "当前模式下不支持可选输入pse.", when=(_CUT,)),
    Row(
        _OPERATOR,
        "no shift in these modes",
        Excluded(("pse",)),
        "sparse_mode配置为7、8时，不支持可选参数pse.",
        when=(_CUT,),
    ),
)
