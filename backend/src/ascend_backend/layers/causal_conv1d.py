"""The short convolution before a gated delta rule, in plain torch.

torch_npu's ``npu_fused_causal_conv1d`` is documented for kernels of three tokens and without activation; models
have four and SiLU. Nothing here reads a value on the host.
"""

import torch


def causal_conv1d(
    x: torch.Tensor, weight: torch.Tensor, states: torch.Tensor, starts: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the convolution of packed sequences, each channel on its own, and the states after it.

    ``x`` is [tokens, channels], ``weight`` [channels, width], ``starts`` [sequences + 1]; ``states``
    [sequences, width - 1, channels] are the inputs before each sequence, the oldest first.
    """
    width = weight.shape[1]
    total, starts = x.shape[0], starts.long()
    lengths = starts.diff()
    order = torch.arange(len(lengths), device=x.device)
    sequence = torch.repeat_interleave(order, lengths, output_size=total)
    place = torch.arange(total, device=x.device) - starts[sequence]

    def inputs(sequence: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        """Return the inputs at places within sequences; places before their start are those of the states."""
        new = x[(starts[sequence] + place).clamp(0, total - 1)]
        old = states[sequence, (place + width - 1).clamp(0, width - 2)]
        return torch.where((place < 0).unsqueeze(-1), old, new)

    output = torch.zeros_like(x)
    for lag in range(width):
        output = output + inputs(sequence, place - lag) * weight[:, width - 1 - lag]
    after = [inputs(order, lengths - lag) for lag in range(width - 1, 0, -1)]
    return output, torch.stack(after, dim=1)
