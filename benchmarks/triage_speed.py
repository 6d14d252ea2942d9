"""How fast logs are read, and in how much memory.

usage: python benchmarks/triage_speed.py [--megabytes 500] [--folder build/triage-speed]

Three logs are written: ``serving`` (eight workers and an engine that serve, with an exception every 10,000
lines), ``failing`` (nothing but interleaved tracebacks: no line can be skipped) and ``endless`` (one line).
Each, and ``serving`` as .gz, is read in a process of its own. Exit code 1 where reading ``serving`` takes 20
seconds or more, or any of them 300 MB.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

_MOST_SECONDS, _MOST_MEGABYTES = 20.0, 300
_WORKERS = 8

_TRACEBACK = """Traceback (most recent call last):
  File "/srv/app/engine/core.py", line 866, in run_engine_core
    engine_core = EngineCoreProc(*args, **kwargs)
                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/srv/app/engine/worker.py", line {line}, in load_model
    self.attn = MMEncoderAttention(num_heads, head_size, multimodal_config=config)
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
TypeError: MMEncoderAttention.__init__() got an unexpected keyword argument 'multimodal_config'"""


def serving() -> Iterator[str]:
    """A server at work: mostly what a reader can skip."""
    number = 0
    while True:
        number += 1
        worker = number % _WORKERS
        clock = f"01-20 {number // 36_000 % 24:02}:{number // 600 % 60:02}:{number // 10 % 60:02}"
        yield (
            f"(APIServer pid=100) INFO {clock} [loggers.py:257] Engine 000: Avg prompt throughput: "
            f"{number % 977}.3 tokens/s, Avg generation throughput: {number % 613}.1 tokens/s, Running: 8"
        )
        place = f"[model_runner.py:{number % 4000}]"
        yield f"(Worker_TP{worker} pid={200 + worker}) INFO {clock} {place} step {number}"
        if number % 5_000 == 0:
            for line in _TRACEBACK.format(line=number % 7).splitlines():
                yield f"(Worker_TP{worker} pid={200 + worker}) ERROR {clock} [worker.py:597] {line}"


def failing() -> Iterator[str]:
    """Tracebacks of all workers at once, line by line."""
    number = 0
    while True:
        number += 1
        for line in _TRACEBACK.format(line=number % 50).splitlines():
            for worker in range(_WORKERS):
                yield f"(Worker_TP{worker} pid={200 + worker}) ERROR 01-20 10:00:00 [worker.py:597] {line}"


def endless() -> Iterator[str]:
    """Yield the output of a progress bar: no line ever ends."""
    while True:
        yield "Loading: 12%|#         | 3/24 Error\r" * 1000


def write(path: Path, lines: Callable[[], Iterator[str]], size: int, end: str = "\n") -> None:
    """Write a log of at least ``size`` bytes, unless it is there."""
    if path.exists() and path.stat().st_size >= size:
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        written = 0
        for line in lines():
            written += file.write(line + end)
            if written >= size:
                break


def measured(path: Path) -> dict[str, float]:
    """Seconds and megabytes of reading a log in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--read", str(path)], capture_output=True, text=True, check=True
    )
    result: dict[str, float] = json.loads(done.stdout)
    return result


def _read(path: str) -> None:
    from syncbot.triage.read_logs import read

    # Of the processor alone: other programs disturb.
    begin = time.process_time()
    reading = read([path])
    seconds = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    count = sum(failure.count for failure in reading.failures)
    print(
        json.dumps({"seconds": seconds, "megabytes": peak, "distinct": len(reading.failures), "count": count})
    )


def main() -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="triage_speed.py", description="How fast logs are read.")
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--folder", type=Path, default=Path("build/triage-speed"))
    parser.add_argument("--read", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        _read(options.read)
        return 0
    options.folder.mkdir(parents=True, exist_ok=True)
    size = options.megabytes * 1_000_000
    logs = {name: options.folder / f"{name}.log" for name in ("serving", "failing", "endless")}
    write(logs["serving"], serving, size)
    write(logs["failing"], failing, size)
    write(logs["endless"], endless, size, end="")
    packed = options.folder / "serving.log.gz"
    if not packed.exists():
        with logs["serving"].open("rb") as plain, gzip.open(packed, "wb", compresslevel=4) as file:
            while block := plain.read(1 << 20):
                file.write(block)
    good = True
    for name, path in {**logs, "serving.gz": packed}.items():
        found = measured(path)
        print(
            f"{name:<12} {options.megabytes} MB in {found['seconds']:5.1f} s, "
            f"{found['megabytes']:4.0f} MB of memory, {found['count']} exceptions, "
            f"{found['distinct']} distinct"
        )
        good &= found["megabytes"] < _MOST_MEGABYTES
        good &= name != "serving" or found["seconds"] < _MOST_SECONDS
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
