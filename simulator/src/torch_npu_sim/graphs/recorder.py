"""Graphs of the simulated device: the operator calls of a capture, replayed on the same addresses.

As on the device, a replay runs no Python of the captured function: it repeats the calls with the tensors, and
with the host arguments, of the capture. What the device would do wrong in silence, or never end, raises here:
a captured tensor that was freed or moved, host arguments that nobody updated, a look at a value during the
capture. Host arguments are those of the attention operators, whose lengths lie on the host: torch_npu updates
them between replays (``NPUGraph.update``) if the capture asked for it (``auto_dispatch_capture``) and torch_npu's mode
saw the call: within a custom operator written in Python torch has put the mode aside. The device may read them late: in
strict mode an update is refused while nothing has put it behind the graph's replay before.
Collectives are calls like others, so that all ranks have to replay the same graphs.
"""

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import WeakSet

import torch
from torch import distributed
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_flatten, tree_map

from torch_npu_sim.constraints import ConstraintError
from torch_npu_sim.device.current import Stream
from torch_npu_sim.settings import read_settings

#: Kernels of the device; an operator of any other namespace is Python that calls these.
_KERNELS = frozenset({"aten", "npu", "prims", "c10d", "_c10d_functional", "_C_ascend"})

#: What became of graphs in this process: captures, replays, calls that were captured, updates of calls, waits.
counts: Counter[str] = Counter()

#: Operators whose result has to come to the host, which waits for a stream that is being captured.
_SYNCHRONISING = frozenset(
    f"aten::{name}" for name in ("_local_scalar_dense", "equal", "is_nonzero", "item", "masked_select", "nonzero")
)

#: Host arguments that torch_npu updates, by operator (its ``_npugraph_handlers``).
UPDATED: Mapping[str, tuple[str, ...]] = {
    "npu::npu_fused_infer_attention_score": ("actual_seq_lengths", "actual_seq_lengths_kv"),
    "npu::npu_fused_infer_attention_score_v2": ("actual_seq_qlen", "actual_seq_kvlen"),
}


@dataclass(frozen=True)
class _Outside:
    """A tensor that was there before the capture: a graph knows its address and does not keep it alive."""

    storage: StorageWeakRef
    address: int
    dtype: torch.dtype
    device: torch.device
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int

    def tensor(self, operator: str) -> torch.Tensor:
        """Return the tensor; ConstraintError if its memory was freed or moved since the capture."""
        storage = torch.UntypedStorage._new_with_weak_ptr(self.storage.cdata)
        if storage is None:
            raise ConstraintError(f"{operator}: a captured tensor of shape {self.shape} was freed before the replay")
        if storage.data_ptr() != self.address:
            raise ConstraintError(f"{operator}: a captured tensor of shape {self.shape} moved before the replay")
        return torch.empty(0, dtype=self.dtype, device=self.device).set_(storage, self.offset, self.shape, self.stride)


@dataclass
class _Call:
    """One operator call: replayed with these arguments into these results."""

    operator: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    results: Any
    #: Names of the host arguments that an update has to bring before each replay.
    updated: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return str(self.operator._schema.name)


class ExternalEvent:
    """Stands in for ``torch.npu.ExternalEvent``: what is captured as a wait is waited for by every replay."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        self.recorded = False
        self._waiting: NPUGraph | None = None

    def wait(self, stream: object = None) -> None:
        """Have the graph that is being captured wait here; outside of a capture nothing is waited for."""
        self._mark("wait")

    def reset(self, stream: object = None) -> None:
        """Take back what was recorded, at this point of a graph or at once."""
        if not self._mark("reset"):
            self.recorded = False

    def record(self, stream: object = None) -> None:
        """Let the graph that waits for the event go on."""
        self.recorded = True
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.resume()

    def wait_in(self, graph: "NPUGraph") -> bool:
        """Return whether the replay of a graph has to stop here; it goes on when the event is recorded."""
        if not self.recorded:
            self._waiting = graph
        return not self.recorded

    def _mark(self, kind: str) -> bool:
        if _Capture.current is None:
            return False
        _Capture.current.calls.append(_Mark(kind, self))
        return True


@dataclass(frozen=True)
class _Mark:
    """A place in a graph where an event is waited for or taken back."""

    kind: str
    event: ExternalEvent
    updated: ClassVar[tuple[str, ...]] = ()


class _Recorder(TorchDispatchMode):
    """Notes every operator call for the graph that is being captured."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        keywords = dict(kwargs or {})
        name = func._schema.name
        capture = _Capture.current
        if capture is None or name.partition("::")[0] not in _KERNELS:
            return func(*args, **keywords)
        if name in _SYNCHRONISING:
            raise ConstraintError(f"{name.partition('::')[2]}: the host cannot wait for a stream that is captured")
        results = func(*args, **keywords)
        capture.note(func, args, keywords, results)
        return results


class _Capture:
    """The calls of one capture."""

    current: ClassVar["_Capture | None"] = None
    _recorder: ClassVar[_Recorder] = _Recorder()
    #: How many custom operators written in Python are running; torch has put the recorder aside for them.
    _depth: ClassVar[int] = 0

    def __init__(self) -> None:
        self.calls: list[_Call | _Mark] = []
        #: The call that torch_npu's mode has seen and that is to be noted.
        self.dispatched: Any = None
        #: Where the task group begins that is open.
        self.group: int | None = None
        #: Storages made during the capture; a graph's pool keeps them.
        self._own: set[int] = set()

    def begin(self) -> None:
        _Capture.current = self
        if _Capture._depth == 0:
            self._recorder.__enter__()

    def end(self) -> None:
        _Capture.current = None
        if _Capture._depth == 0:
            self._recorder.__exit__(None, None, None)

    @classmethod
    def inside(cls, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """Return a custom operator's Python ``kernel`` whose own calls are noted too."""

        @functools.wraps(kernel)
        def run(*arguments: Any, **keywords: Any) -> Any:
            if cls.current is None:
                return kernel(*arguments, **keywords)
            cls._depth += 1
            try:
                with cls._recorder:
                    return kernel(*arguments, **keywords)
            finally:
                cls._depth -= 1

        return run

    def note(self, func: Any, args: tuple[Any, ...], keywords: dict[str, Any], results: Any) -> None:
        given = {_storage(tensor) for tensor in _tensors((args, keywords))}
        kept_args, kept_keywords = tree_map(self._keep, (args, keywords))
        made = {_storage(tensor) for tensor in _tensors(results)} - given
        self._own |= made
        # A view is the same memory in a replay; some operators return a view only if they can.
        if made or not func.is_view:
            updated = UPDATED.get(func._schema.name, ()) if self.dispatched is func else ()
            self.calls.append(_Call(func, kept_args, kept_keywords, results, updated))

    def note_launch(self, kernel: "_Launch", args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        kept_args, kept_keywords = tree_map(self._keep, (args, keywords))
        self.calls.append(_Call(kernel, kept_args, kept_keywords, None))

    def _keep(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or _storage(value) in self._own:
            return value
        storage = value.untyped_storage()
        return _Outside(
            storage=StorageWeakRef(storage),
            address=storage.data_ptr(),
            dtype=value.dtype,
            device=value.device,
            shape=tuple(value.shape),
            stride=tuple(value.stride()),
            offset=int(value.storage_offset()),
        )


def _tensors(tree: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_flatten(tree)[0] if isinstance(leaf, torch.Tensor)]


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


class UpdateStream(Stream):
    """The stream on which torch_npu brings host arguments."""

    def wait_event(self, event: object) -> None:
        """Let updates come behind the replays that were launched until now."""
        counts["update_waits"] += 1
        NPUGraph.on_their_way.clear()

    def wait_stream(self, stream: object) -> None:
        """Let updates come behind the replays that were launched until now."""
        self.wait_event(stream)

    def synchronize(self) -> None:
        """Wait for the updates themselves: for no replay."""


class _DispatchMode(TorchDispatchMode):
    """Stands in for torch_npu's ``_GraphDispatchMode``, which makes attention calls updatable that come through it."""

    _stream: ClassVar[UpdateStream | None] = None

    @property
    def update_stream(self) -> UpdateStream:
        """The one stream of all graphs."""
        if _DispatchMode._stream is None:
            _DispatchMode._stream = UpdateStream()
        return _DispatchMode._stream

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if _Capture.current is not None:
            _Capture.current.dispatched = func
        return func(*args, **(kwargs or {}))


class NPUGraph:
    """Stands in for ``torch.npu.NPUGraph``."""

    #: The graph whose replay waits for an event.
    _stopped: ClassVar["NPUGraph | None"] = None
    #: The graphs whose replays the device may not have begun: nothing has waited for them.
    on_their_way: ClassVar[WeakSet["NPUGraph"]] = WeakSet()

    def __init__(self) -> None:
        self.auto_dispatch_capture = False
        #: torch_npu's way to see the attention calls; the recorder sees all calls, as the stream does.
        self.graph_dispatch_mode = _DispatchMode()
        self._capture: _Capture | None = None
        self._calls: list[_Call | _Mark] | None = None
        self._rest: Iterator[_Call | _Mark] = iter(())
        #: Whether the attention calls have the host arguments of the batch.
        self._updated = True

    def capture_begin(self, pool: object = None, capture_error_mode: str = "global") -> None:
        """Note every operator call from now on; RuntimeError if a graph is being captured already."""
        if _Capture.current is not None:
            raise RuntimeError("a graph is being captured on this stream already")
        self._capture = _Capture()
        self._capture.begin()

    def capture_end(self) -> None:
        """End the capture; RuntimeError if there is none."""
        if self._capture is None:
            raise RuntimeError("capture_end without capture_begin")
        self._capture.end()
        self._calls, self._capture = self._capture.calls, None
        counts.update(captures=1, calls=len(self._calls))
        self._updated = not any(call.updated for call in self._calls)

    def update(self, cpu_update_input: Sequence[Mapping[str, Any]]) -> None:
        """Give the attention calls their host arguments, one mapping a call or one for all.

        Raises RuntimeError as torch_npu does, and ConstraintError where lengths were captured for another
        number of sequences, or where the replay before could read what is meant for the next.
        """
        if not self.auto_dispatch_capture or self._calls is None:
            raise RuntimeError("the graph was not captured with auto_dispatch_capture=True")
        if self in NPUGraph.on_their_way and read_settings().strict:
            raise ConstraintError("update: the replay before, which nothing has waited for, would read these arguments")
        calls = [call for call in self._calls if isinstance(call, _Call) and call.updated]
        inputs = list(cpu_update_input)
        inputs = inputs * len(calls) if len(inputs) == 1 else inputs
        if len(inputs) != len(calls):
            raise RuntimeError(f"{len(calls)} operators have to be updated, and {len(inputs)} inputs are given")
        for call, given in zip(calls, inputs, strict=True):
            for name in call.updated:
                if name not in given:
                    continue
                captured, wanted = len(call.keywords[name]), len(given[name])
                if captured != wanted:
                    raise ConstraintError(f"{call.name}: captured for {captured} sequences, {name} has {wanted}")
                call.keywords[name] = list(given[name])
        self._updated = True

    def replay(self) -> None:
        """Repeat the captured calls; their results lie where those of the capture lay.

        Raises ConstraintError where the device would hang or read memory that is no longer the tensor's.
        """
        if self._calls is None:
            raise RuntimeError("replay of a graph that was not captured")
        if not self._updated:
            raise ConstraintError("replay: the device would wait for ever for the host arguments of its attention")
        if NPUGraph._stopped is not None:
            raise ConstraintError("replay: the graph before still waits for an external event that nobody records")
        counts["replays"] += 1
        NPUGraph.on_their_way.add(self)
        self._rest = iter(self._calls)
        self.resume()
        self._updated = not any(call.updated for call in self._calls)

    def resume(self) -> None:
        """Repeat calls from where the replay stopped, to the end or to the next event that is not recorded."""
        NPUGraph._stopped = None
        with torch.inference_mode():
            for call in self._rest:
                if isinstance(call, _Call):
                    _repeat(call)
                elif call.kind == "reset":
                    call.event.recorded = False
                elif call.event.wait_in(self):
                    counts["waits"] += 1
                    NPUGraph._stopped = self
                    return

    def reset(self) -> None:
        """Forget the capture."""
        self._calls = None

    def pool(self) -> tuple[int, int]:
        """Return the token of the graph's pool."""
        return (0, id(self))


def _repeat(call: _Call) -> None:
    def present(value: Any) -> Any:
        return value.tensor(call.name) if isinstance(value, _Outside) else value

    arguments, keywords = tree_map(present, (call.arguments, call.keywords))
    given = {_storage(tensor) for tensor in _tensors((arguments, keywords))}
    results = call.operator(*arguments, **keywords)
    for work in tree_flatten(results)[0]:
        # A collective: the stream goes on when it is done.
        if isinstance(work, torch.ScriptObject):
            distributed.distributed_c10d.Work.unbox(work).wait()
    for captured, result in zip(_tensors(call.results), _tensors(results), strict=True):
        if _storage(captured) not in given:
            captured.copy_(result)


class graph:
    """Stands in for ``torch.npu.graph``: a capture as a context."""

    def __init__(
        self,
        npu_graph: NPUGraph,
        pool: object = None,
        stream: object = None,
        capture_error_mode: str = "global",
        auto_dispatch_capture: bool = False,
    ) -> None:
        self._graph = npu_graph
        self._pool = pool
        npu_graph.auto_dispatch_capture = auto_dispatch_capture

    def __enter__(self) -> None:
        if self._graph.auto_dispatch_capture:
            self._graph.graph_dispatch_mode.__enter__()
        self._graph.capture_begin(pool=self._pool)

    def __exit__(self, *exception: object) -> None:
        self._graph.capture_end()
        if self._graph.auto_dispatch_capture:
            self._graph.graph_dispatch_mode.__exit__(None, None, None)


class _Updater(TorchDispatchMode):
    """Gives the calls of a task group the arguments of the calls that are made now; nothing is computed."""

    def __init__(self, calls: Sequence[_Call]) -> None:
        super().__init__()
        self._calls = list(calls)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        keywords = dict(kwargs or {})
        if func._schema.name.partition("::")[0] not in _UPDATABLE:
            return func(*args, **keywords)
        if not self._calls:
            raise ConstraintError(f"update of a task group: {func} is one call more than were captured")
        call = self._calls.pop(0)
        if call.operator is not func:
            raise ConstraintError(f"update of a task group: {func} where {call.operator} was captured")
        call.arguments, call.keywords = args, keywords
        counts["updates"] += 1
        return call.results


#: Namespaces of the operators that task groups hold: those of the device.
_UPDATABLE = frozenset({"npu", "_C_ascend"})
_updaters: list[_Updater] = []


def graph_task_group_begin(stream: object = None) -> None:
    """Begin a group of calls of the capture that can be updated; RuntimeError outside of a capture."""
    capture = _capturing("graph_task_group_begin")
    capture.group = len(capture.calls)


def graph_task_group_end(stream: object = None) -> list[_Call]:
    """Return the handle of the group; RuntimeError where none was begun."""
    capture = _capturing("graph_task_group_end")
    if capture.group is None:
        raise RuntimeError("graph_task_group_end without graph_task_group_begin")
    group, capture.group = capture.calls[capture.group :], None
    return [call for call in group if isinstance(call, _Call) and call.name.partition("::")[0] in _UPDATABLE]


def graph_task_update_begin(stream: object, handle: list[_Call]) -> None:
    """Take the calls that follow for new arguments of the group's."""
    _updaters.append(_Updater(handle))
    _updaters[-1].__enter__()


def graph_task_update_end(stream: object = None) -> None:
    """End the update; RuntimeError without one."""
    if not _updaters:
        raise RuntimeError("graph_task_update_end without graph_task_update_begin")
    _updaters.pop().__exit__(None, None, None)


def _capturing(function: str) -> _Capture:
    if _Capture.current is None:
        raise RuntimeError(f"{function}: no graph is being captured")
    return _Capture.current


@dataclass(frozen=True)
class _Launch:
    """A launch of a kernel that is no operator, as a call of a graph."""

    name: str
    run: Callable[..., None]

    @property
    def _schema(self) -> "_Launch":
        return self

    def __call__(self, *arguments: Any, **keywords: Any) -> None:
        self.run(*arguments, **keywords)


def launch(name: str, run: Callable[..., None], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Run a kernel that is no operator; during a capture it is one call of the graph, whatever it does itself."""
    capture = _Capture.current
    if capture is None:
        run(*arguments, **keywords)
        return
    _Capture.current = None
    try:
        with _disable_current_modes():
            run(*arguments, **keywords)
    finally:
        _Capture.current = capture
    capture.note_launch(_Launch(f"triton::{name}", run), arguments, keywords)


def is_current_stream_capturing() -> bool:
    """Return whether a graph is being captured."""
    return _Capture.current is not None


def graph_pool_handle() -> tuple[int, int]:
    """Return the token of a pool; the simulated device frees memory with its last tensor."""
    return (0, 0)


def install() -> None:
    """Let captures see the calls inside of custom operators that are registered in Python from now on."""
    implement = torch.library.Library.impl

    def impl(self: torch.library.Library, op_name: Any, fn: Any, *arguments: Any, **keywords: Any) -> None:
        wrapped = fn if self.ns in _KERNELS or not callable(fn) else _Capture.inside(fn)
        implement(self, op_name, wrapped, *arguments, **keywords)

    torch.library.Library.impl = impl  # type: ignore[method-assign]


#: What torch.npu has of graphs.
MEMBERS: Mapping[str, Callable[..., Any]] = {
    "NPUGraph": NPUGraph,
    "ExternalEvent": ExternalEvent,
    "graph": graph,
    "graph_task_group_begin": graph_task_group_begin,
    "graph_task_group_end": graph_task_group_end,
    "graph_task_update_begin": graph_task_update_begin,
    "graph_task_update_end": graph_task_update_end,
    "is_current_stream_capturing": is_current_stream_capturing,
    "graph_pool_handle": graph_pool_handle,
}
