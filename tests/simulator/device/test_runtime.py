"""Devices, streams, events, random numbers, processes."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import torch
from torch_npu_sim.device import counters

from tests.simulator.beside_torch import Program


def run(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the device registered and nothing done with it."""
    begin = "import sys\nimport torch\nfrom torch_npu_sim import device\ndevice.load()\n"
    script = folder / "program.py"
    script.write_text(begin + textwrap.dedent(text))
    return Program(script, [path for path in sys.path if path]).finish()


def test_a_device_is_chosen_by_number_and_by_context() -> None:
    assert (torch.npu.device_count(), torch.accelerator.device_count()) == (4, 4)
    torch.npu.set_device("npu:2")
    with torch.npu.device(1):
        assert torch.empty(1, device="npu").device.index == 1
    assert torch.npu.current_device() == 2
    with pytest.raises(RuntimeError, match="Invalid NPU device 4"):
        torch.npu.set_device(4)
    with pytest.raises(ValueError, match="Expected a npu device"):
        torch.npu.set_device("cpu")
    assert torch.npu.current_device() == 2


def test_streams_belong_to_a_device_and_to_a_thread() -> None:
    stream = torch.npu.Stream()
    with torch.npu.stream(stream):
        assert torch.npu.current_stream() == stream
        assert stream != torch.npu.default_stream()
        event = stream.record_event()
    assert torch.npu.current_stream() == torch.npu.default_stream()
    stream.wait_event(event)
    stream.wait_stream(torch.npu.current_stream())
    assert event.query()
    torch.ones(1, device="npu").record_stream(stream)
    before = counters()["waits"]
    stream.synchronize()
    event.synchronize()
    torch.npu.synchronize()
    assert counters()["waits"] == before + 3


def test_the_time_between_events_needs_two_that_are_timed() -> None:
    first, last = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    with pytest.raises(RuntimeError, match="must be recorded"):
        first.elapsed_time(last)
    first.record()
    last.record()
    assert first.elapsed_time(last) >= 0
    plain = torch.npu.Event()
    plain.record()
    with pytest.raises(RuntimeError, match="enable_timing=True"):
        first.elapsed_time(plain)


def test_random_numbers_are_those_of_the_seed_and_of_the_device() -> None:
    torch.manual_seed(6)
    torch.npu.manual_seed(5)
    drawn, state = torch.rand(3, device="npu"), torch.npu.get_rng_state()
    after = torch.randn(3, device="npu")
    torch.npu.set_rng_state(state)
    assert torch.equal(torch.randn(3, device="npu"), after)
    torch.manual_seed(5)
    assert torch.equal(drawn.cpu(), torch.rand(3))
    own = torch.Generator("npu").manual_seed(5)
    assert torch.equal(torch.rand(3, device="npu", generator=own), drawn)
    torch.npu.manual_seed(5)
    dropped = torch.nn.functional.dropout(torch.ones(50, device="npu"))
    torch.manual_seed(1)
    torch.npu.manual_seed(5)
    assert torch.equal(torch.nn.functional.dropout(torch.ones(50, device="npu")), dropped)


FORK = """
    import os
    {before}
    if not (child := os.fork()):
        try:
            torch.ones(1, device="npu")
        except RuntimeError as error:
            print(error, flush=True)
            os._exit(3)
        os._exit(0)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_process_that_used_no_device_may_fork(tmp_path: Path) -> None:
    assert run(tmp_path, FORK.format(before="torch.npu.device_count()")).returncode == 0


def test_the_fork_of_a_process_that_used_one_may_not_use_it(tmp_path: Path) -> None:
    done = run(tmp_path, FORK.format(before="torch.npu.set_device(0)"))
    assert done.returncode == 3, done.stderr
    assert "Cannot re-initialize NPU in forked subprocess" in done.stdout
