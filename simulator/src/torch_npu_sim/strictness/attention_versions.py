"""The names that ``npu_fused_infer_attention_score`` and its second version have for the same arguments."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Version:
    """Names of arguments in one version of the operator."""

    operator: str
    heads: str
    query_lengths: str
    key_lengths: str
    out_scale: str
    out_offset: str
    key_scale: str
    value_scale: str
    key_offset: str
    value_offset: str
    key_mode: str
    value_mode: str

    @property
    def operators(self) -> tuple[str, ...]:
        """The operator by itself, as rows of this version alone name it."""
        return (self.operator,)


FIRST = Version(
    "npu_fused_infer_attention_score",
    heads="num_heads",
    query_lengths="actual_seq_lengths",
    key_lengths="actual_seq_lengths_kv",
    out_scale="quant_scale2",
    out_offset="quant_offset2",
    key_scale="key_antiquant_scale",
    value_scale="value_antiquant_scale",
    key_offset="key_antiquant_offset",
    value_offset="value_antiquant_offset",
    key_mode="key_antiquant_mode",
    value_mode="value_antiquant_mode",
)
SECOND = Version(
    "npu_fused_infer_attention_score_v2",
    heads="num_query_heads",
    query_lengths="actual_seq_qlen",
    key_lengths="actual_seq_kvlen",
    out_scale="quant_scale_out",
    out_offset="quant_offset_out",
    key_scale="dequant_scale_key",
    value_scale="dequant_scale_value",
    key_offset="dequant_offset_key",
    value_offset="dequant_offset_value",
    key_mode="key_quant_mode",
    value_mode="value_quant_mode",
)
BOTH = (FIRST.operator, SECOND.operator)
