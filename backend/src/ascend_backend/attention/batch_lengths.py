"""Lengths of a batch on the host, where the attention operators want them."""

import torch
from vllm.config import VllmConfig
from vllm.v1.attention.backend import CommonAttentionMetadata


def query_ends(common: CommonAttentionMetadata) -> list[int]:
    """Return where the queries of each request end."""
    ends: list[int] = common.query_start_loc_cpu[1 : common.num_reqs + 1].tolist()
    return ends


def context_lengths(common: CommonAttentionMetadata, config: VllmConfig) -> list[int]:
    """Return how many tokens each request sees, its own included.

    The host knows them, unless tokens are drafted, whose acceptance the device alone knows, or the lengths are an
    encoder's: then it waits for the device.
    """
    lengths: torch.Tensor = common.seq_lens
    if config.speculative_config is None and not config.model_config.is_encoder_decoder:
        on_host = common.seq_lens_cpu_upper_bound
        lengths = lengths if on_host is None else on_host
    read: list[int] = lengths[: common.num_reqs].tolist()
    return read
