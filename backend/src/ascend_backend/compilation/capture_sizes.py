"""How many sizes of batches are captured: a graph takes a stream, and a device has about two thousand.

The numbers are those of vLLM Ascend (``update_aclgraph_sizes``, until its pull request 9962): 2,048 streams, of which
248 are kept back, and what each group of ranks takes. It dropped them for CANN 8.5, which captures more.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vllm.config import VllmConfig
    from vllm.config.compilation import CUDAGraphMode

_STREAMS = 1800
#: Of each group whose ranks talk: streams of its own, and so many for each graph.
_OF_GROUP, _OF_GRAPH = 40, 2


def most(graphs: int, groups: int, environment: Mapping[str, str]) -> int:
    """Return for how many sizes there are streams, if a size has so many graphs; one at least."""
    if environment.get("HCCL_OP_EXPANSION_MODE") == "AIV":
        return max(1, _STREAMS // (graphs * (1 + groups)))
    return max(1, (_STREAMS - _OF_GROUP * groups) // (graphs * (1 + _OF_GRAPH * groups)))


def spread(sizes: Sequence[int], number: int) -> list[int]:
    """Return so many of the ascending sizes, spread evenly, the largest always; all if there are no more."""
    if len(sizes) <= number:
        return list(sizes)
    step = (len(sizes) - 1) / max(1, number - 1)
    return sorted({sizes[-1 - round(place * step)] for place in range(number)})


def bound(config: "VllmConfig", mode: "CUDAGraphMode", environment: Mapping[str, str]) -> str | None:
    """Leave out sizes for which there are no streams, and return a line about it, or None if all are kept."""
    parallel, compilation = config.parallel_config, config.compilation_config
    sizes = compilation.cudagraph_capture_sizes
    if not sizes:
        return None
    graphs = int(mode.has_full_cudagraphs())
    if mode.has_piecewise_cudagraphs():
        draft = config.speculative_config and config.speculative_config.draft_model_config
        # A model is cut at the attention of each layer.
        graphs += sum(model.get_total_num_hidden_layers() + 1 for model in (config.model_config, draft) if model)
    groups = sum(size > 1 for size in (parallel.tensor_parallel_size, parallel.data_parallel_size))
    kept = spread(sizes, most(graphs, groups, environment)) if graphs else list(sizes)
    if len(kept) == len(sizes):
        return None
    compilation.cudagraph_capture_sizes = kept
    compilation.post_init_cudagraph_sizes()
    return f"{len(kept)} of {len(sizes)} sizes are captured, with {graphs} graphs each: a device has 2048 streams"
