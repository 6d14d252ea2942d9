"""Graph mode: vLLM captures and replays ACL graphs under the names of CUDA graphs.

vLLM's graph wrappers and managers name ``torch.cuda.CUDAGraph`` and ``torch.cuda.graph``; ``worker.adaptation`` puts
the two classes below in their place. A graph holds the operator calls of a capture with their addresses. The
attention operators take their lengths from the host, so those have to be brought to each replay
(``NPUGraph.update``): a metadata builder publishes them for its layers, an attention layer says when it is
captured, and the replay looks up what was published last for the layers of its capture, in their order. torch_npu
brings them on a stream of its own, which waits for the graph's replay before: the host does not.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

import torch

from ascend_backend.device import load_torch_npu

if TYPE_CHECKING:
    from vllm.distributed.parallel_state import GraphCaptureContext, GroupCoordinator
    from vllm.v1.worker.gpu_model_runner import GPUModelRunner

load_torch_npu()

HostArguments = Mapping[str, list[int]]

#: The host arguments of the batch that was prepared last, by attention layer.
_published: dict[str, HostArguments] = {}


def publish(layers: Iterable[str], arguments: HostArguments) -> None:
    """Set the host arguments of the attention operators of these layers for the next replay."""
    _published.update(dict.fromkeys(layers, arguments))


def used_by(layer: str) -> None:
    """Say that the attention operator of ``layer`` is called next; noted if a graph is being captured."""
    if Graph.captured is not None:
        Graph.captured.layers.append(layer)


class Graph(torch.npu.NPUGraph):
    """An ACL graph that takes the present host arguments along when it is replayed."""

    #: The graph whose capture leaves host arguments open, while there is one.
    captured: ClassVar["Graph | None"] = None
    #: Captures and replays in this process, so that a check can tell that graphs ran.
    captures: ClassVar[int] = 0
    replays: ClassVar[int] = 0

    def __init__(self) -> None:
        """Fulfil ``NPUGraph.__init__``: a graph without a layer yet."""
        super().__init__()
        self.layers: list[str] = []
        self._dispatches = False
        #: Recorded behind the last replay that had host arguments.
        self._replayed: torch.npu.Event | None = None

    def capture_begin(self, *arguments: object, **keywords: object) -> None:
        """Begin a capture; one of a whole batch leaves the host arguments of attention open, whoever begins it.

        vLLM begins captures that may be cut at attention without ``torch.cuda.graph``. A piece between two
        cuts has no attention in it.
        """
        self._dispatches = not self.auto_dispatch_capture and _whole_batch()
        if self._dispatches:
            self.auto_dispatch_capture = True
            self.graph_dispatch_mode.__enter__()
        if self.auto_dispatch_capture:
            Graph.captured = self
        super().capture_begin(*arguments, **keywords)

    def capture_end(self) -> None:
        """End the capture."""
        super().capture_end()
        Graph.captured = None
        Graph.captures += 1
        if self._dispatches:
            self.graph_dispatch_mode.__exit__(None, None, None)

    def replay(self) -> None:
        """Update the host arguments and replay.

        Raises KeyError for an attention layer without metadata for this batch.
        """
        if self.layers:
            if self._replayed is not None:
                # The replay before may still be on its way, and has to read the arguments that were meant for it.
                self.graph_dispatch_mode.update_stream.wait_event(self._replayed)
            self.update([dict(_published[layer]) for layer in self.layers])
        super().replay()
        if self.layers:
            self._replayed = torch.npu.Event()
            self._replayed.record()
        Graph.replays += 1


def drop(runner: "GPUModelRunner") -> bool:
    """Give up every graph of the runner, and return whether there was any: ``capture_model`` captures them again."""
    from vllm.compilation.breakable_cudagraph import BreakableCUDAGraphWrapper
    from vllm.compilation.cuda_graph import CUDAGraphWrapper
    from vllm.v1.worker.gpu.cudagraph_utils import CudaGraphManager

    dropped = Graph.captures > 0
    CUDAGraphWrapper.clear_all_graphs()
    BreakableCUDAGraphWrapper.clear_all_graphs()
    # The runner V2 and what drafts for it keep the graphs of whole batches themselves.
    for keeper in (runner, getattr(runner, "speculator", None)):
        for manager in vars(keeper).values() if keeper is not None else ():
            if isinstance(manager, CudaGraphManager):
                manager.graphs.clear()
    return dropped


def _whole_batch() -> bool:
    """Return whether vLLM captures a batch as one graph."""
    from vllm.config.compilation import CUDAGraphMode
    from vllm.forward_context import get_forward_context, is_forward_context_available

    return is_forward_context_available() and get_forward_context().cudagraph_runtime_mode == CUDAGraphMode.FULL


class capture(torch.npu.graph):
    """``torch.cuda.graph`` for ACL graphs: with the host arguments of attention left open."""

    def __init__(self, graph: Graph, pool: object = None, stream: object = None) -> None:
        """Fulfil ``torch.npu.graph.__init__``, called as ``torch.cuda.graph`` is."""
        super().__init__(graph, pool=pool, stream=stream, auto_dispatch_capture=True)


@contextmanager
def group_capture(
    group: "GroupCoordinator", graph_capture_context: "GraphCaptureContext | None" = None
) -> "Iterator[GraphCaptureContext]":
    """Stand in for ``GroupCoordinator.graph_capture``, which knows the communicators of CUDA and XPU alone.

    HCCL's collectives are captured with the stream that they are called on.
    """
    from vllm.distributed.parallel_state import GraphCaptureContext

    context = graph_capture_context or GraphCaptureContext(torch.npu.Stream())
    present = torch.npu.current_stream()
    if context.stream != present:
        context.stream.wait_stream(present)
    with torch.npu.stream(context.stream):
        yield context


def padded(query_ends: Sequence[int], context_lengths: Sequence[int], tokens: int) -> tuple[list[int], list[int]]:
    """Return the ends of queries and the lengths of contexts, a graph's padding dealt out to its empty requests.

    A graph has a fixed number of requests and ``tokens``. The requests that pad a batch come last, without
    tokens. The operators demand that the last query ends with the last token, and that no context is shorter
    than its queries; the padding sees its own tokens in the null block.
    """
    ends, lengths = list(query_ends), list(context_lengths)
    if not ends or ends[-1] >= tokens:
        return ends, lengths
    real = ends.index(ends[-1]) + 1
    start, rows = ends[-1], len(ends) - real
    if rows == 0:
        raise ValueError(f"{tokens} tokens are padded from {start}, but there is no request to take the padding")
    for row in range(rows):
        ends[real + row] = start + (tokens - start) * (row + 1) // rows
        lengths[real + row] = max(lengths[real + row], ends[real + row] - ends[real + row - 1])
    return ends, lengths
