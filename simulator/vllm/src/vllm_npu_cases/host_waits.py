"""Where the host waits for the device while a worker launches a step: what the device counts, told by source line.

On a real device a wait stops the launch of the next step; the simulated one only counts.
"""

import sys
import threading
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

#: What computes in the place of a kernel may bring tensors to the host, which no launch on a device does.
_KERNELS = ("/triton/", "torch_npu_sim/triton/", "torch_npu_sim/references/", "torch_npu_sim/operators.py")
_NOT_THE_CALLER = ("/torch_npu_sim/", "/torch/")


def _place(frame: FrameType | None) -> str | None:
    """Return the line outside of torch that led to a frame; None for what happens inside of a kernel."""
    found = None
    while frame is not None:
        file = frame.f_code.co_filename
        if any(part in file for part in _KERNELS):
            return None
        if found is None and not any(part in file for part in _NOT_THE_CALLER):
            package = file.rpartition("site-packages/")[2].rpartition("/src/")[2]
            found = f"{package}:{frame.f_lineno} {frame.f_code.co_name}"
        frame = frame.f_back
    return found


class HostWaits:
    """Counts the waits of a worker's steps by line: of those that decode, and of others."""

    def __init__(self, worker: Any) -> None:
        """Count in ``worker`` from now on, until a step of it is replaced again."""
        self.decoding: Counter[str] = Counter()
        self.others: Counter[str] = Counter()
        self.steps = 0
        self._now = self.others
        self._seen = 0
        # What a step returns is waited for in another thread, and the device counts over all threads.
        self._alone = threading.RLock()
        worker.execute_model = self._counted(worker.execute_model)
        worker.sample_tokens = self._counted(worker.sample_tokens)

    def _counted(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            with self._alone:
                self._choose(*arguments)
                return self._held_off(self._watched(step, arguments))

        return counted

    def _choose(self, scheduled: Any = None, *_: Any) -> None:
        """Note what kind of step begins; sampling belongs to the step before it."""
        if hasattr(scheduled, "num_scheduled_tokens"):
            tokens = scheduled.num_scheduled_tokens
            decoding = bool(tokens) and not scheduled.scheduled_new_reqs and set(tokens.values()) == {1}
            self._now = self.decoding if decoding else self.others
            self.steps += decoding

    def _watched(self, step: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        import torch
        from torch_npu_sim.device import counters

        def look(frame: FrameType, event: str, argument: object) -> None:
            waits = counters()["waits"]
            if waits > self._seen and (place := _place(frame)) is not None:
                self._now[place] += waits - self._seen
            self._seen = waits

        self._seen, reserved = counters()["waits"], torch.npu.memory_reserved()
        sys.setprofile(look)
        try:
            return step(*arguments)
        finally:
            sys.setprofile(None)
            if torch.npu.memory_reserved() > reserved:
                self._now["memory reserved"] += 1

    def _held_off(self, output: Any) -> Any:
        """Return what a step returns, whose own wait does not run beside a step that is watched."""
        wait = getattr(output, "get_output", None)
        if wait is not None:

            def waiting(*arguments: Any) -> Any:
                with self._alone:
                    return wait(*arguments)

            output.get_output = waiting
        return output
