"""Linear attention of Qwen3-Next: a gated delta net."""

import torch
from torch.nn import functional
from vllm.forward_context import get_forward_context
from vllm.model_executor.custom_op import PluggableLayer
from vllm.model_executor.layers.mamba.gdn.qwen_gdn_linear_attn import QwenGatedDeltaNetAttention

from ascend_backend.layers.causal_conv1d import causal_conv1d
from ascend_backend.ops import gated_delta_rule

#: The class of vLLM's layers that this one stands for.
_NAME = "QwenGatedDeltaNetAttention"
_EPSILON = 1e-6


@PluggableLayer.register_oot(name=_NAME)
class NPUQwenGatedDeltaNetAttention(QwenGatedDeltaNetAttention):
    """vLLM's layer, with torch_npu's operators between its projections."""

    def _forward_core(
        self, mixed_qkv: torch.Tensor, b: torch.Tensor, a: torch.Tensor, core_attn_out: torch.Tensor
    ) -> None:
        """Fulfil ``QwenGatedDeltaNetAttention._forward_core``: fill ``core_attn_out``, [tokens, heads, size].

        Sequences of one token with a state before it come first. Without metadata the call belongs to the
        profile run, where there are no states.
        """
        batches = get_forward_context().attn_metadata
        metadata = batches.get(self.prefix) if isinstance(batches, dict) else None
        if metadata is None:
            return
        tokens, singles = metadata.num_actual_tokens, metadata.num_decodes
        count = singles + metadata.num_prefills
        rows = metadata.non_spec_state_indices_tensor[:count].long()
        starts = metadata.non_spec_query_start_loc[: count + 1]
        conv_states, states = self.kv_cache
        if conv_states.shape[2] != mixed_qkv.shape[1]:
            # vLLM can be told to keep the channels outside the tokens.
            conv_states = conv_states.transpose(1, 2)
        inputs_before, before = conv_states[rows], states[rows].to(mixed_qkv.dtype)
        if metadata.has_initial_state is not None:
            fresh = ~metadata.has_initial_state[:count]
            inputs_before = inputs_before.masked_fill(fresh[:, None, None], 0)
            before = before.masked_fill(fresh[:, None, None, None], 0)
        mixed, conv_states[rows] = causal_conv1d(
            mixed_qkv[:tokens], self.conv1d.weight.squeeze(1), inputs_before, starts
        )
        parts = self._parts(functional.silu(mixed), b[:tokens], a[:tokens])
        scale = self.head_k_dim**-0.5
        if singles:
            first = before[:singles].contiguous()
            core_attn_out[:singles] = gated_delta_rule.tokens(
                **{name: part[:singles] for name, part in parts.items()}, states=first, scale=scale
            )
            states[rows[:singles]] = first.to(states.dtype)
        if count > singles:
            core_attn_out[singles:tokens], last = gated_delta_rule.sequences(
                **{name: part[singles:] for name, part in parts.items()},
                states=before[singles:],
                lengths=starts[singles:].diff().to(torch.int32),
                scale=scale,
            )
            states[rows[singles:]] = last.to(states.dtype)

    def _parts(self, mixed: torch.Tensor, b: torch.Tensor, a: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return what the operators take of every token: query, key, value, strength and decay."""
        tokens, keys, values = len(mixed), self.key_dim // self.tp_size, self.value_dim // self.tp_size
        query, key, value = mixed.split([keys, keys, values], dim=-1)
        decay = -self.A_log.float().exp() * functional.softplus(a.float() + self.dt_bias.float())
        return {
            "query": _normalised(query.view(tokens, -1, self.head_k_dim)),
            "key": _normalised(key.view(tokens, -1, self.head_k_dim)),
            "value": value.reshape(tokens, -1, self.head_v_dim),
            "strength": b.sigmoid(),
            "decay": decay,
        }


def _normalised(x: torch.Tensor) -> torch.Tensor:
    """Return the vectors of ``x``, each of length one."""
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().sum(-1, keepdim=True) + _EPSILON)).to(x.dtype)
