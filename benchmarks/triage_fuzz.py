"""Damaged logs through the reader: no failure, no hang, time in proportion to their length.

usage: python benchmarks/triage_fuzz.py CORPUS [--runs 100000] [--seed 0]

CORPUS is a folder of logs, such as tests/triage/corpus. Each run damages one of them: lines are cut, doubled,
exchanged, dropped, spliced with those of another log, bytes are overwritten. Exit code 1 where reading one
raised anything or took a second, or where twice the log took more than four times as long.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from syncbot.triage.folded_failures import folded
from syncbot.triage.process_streams import parsed

_LONGEST = 8_000
_SLOW = 1.0
# Texts that a pattern with nested repetitions would choke on.
_HARD = (
    b"_ " * 5_000, b"=" * 9_000, b"E   " * 4_000, b"a." * 8_000 + b"Error: x", b"(" * 9_000,
    b"FAILED " * 3_000,
    b"Error" * 4_000, b' File "' * 3_000, b"x: " * 6_000 + b"Error", b"[rank0]: " * 2_000, b"- " * 8_000,
    b"FAILED a.py" + b"::" * 8_000 + b" - x", b"\x1b[" + b"1;" * 9_000, b"  |" * 6_000, b"0x" + b"f" * 18_000,
    b"Traceback (most recent call last):\n" * 400, b"1 validation error for x\n" + b"y\n" * 9_000,
)  # fmt: skip


def corpus(folder: Path) -> list[bytes]:
    """The plain text of every log in a folder."""
    texts = []
    for file in sorted(folder.glob("*.log*")):
        data = file.read_bytes()
        texts.append(gzip.decompress(data) if file.suffix == ".gz" else data)
    return texts


def _cut(lines: list[bytes], dice: random.Random) -> None:
    index = dice.randrange(len(lines))
    lines[index] = lines[index][: dice.randrange(len(lines[index]) + 1)]


def _double(lines: list[bytes], dice: random.Random) -> None:
    lines.insert(dice.randrange(len(lines)), dice.choice(lines))


def _exchange(lines: list[bytes], dice: random.Random) -> None:
    first, second = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]


def _drop(lines: list[bytes], dice: random.Random) -> None:
    if len(lines) > 1:
        del lines[dice.randrange(len(lines))]


def _overwrite(lines: list[bytes], dice: random.Random) -> None:
    index = dice.randrange(len(lines))
    data = bytearray(lines[index])
    for _ in range(min(len(data), 4)):
        data[dice.randrange(len(data))] = dice.randrange(256)
    lines[index] = bytes(data)


def _join(lines: list[bytes], dice: random.Random) -> None:
    index = dice.randrange(len(lines))
    lines[index] = lines[index] + dice.choice(lines)


def _harden(lines: list[bytes], dice: random.Random) -> None:
    lines.insert(dice.randrange(len(lines)), dice.choice(_HARD)[: dice.randrange(1, 2_000)])


DAMAGES: Sequence[Callable[[list[bytes], random.Random], None]] = (
    _cut, _double, _exchange, _drop, _overwrite, _join, _harden,
)  # fmt: skip


def damaged(texts: Sequence[bytes], dice: random.Random) -> bytes:
    """A part of one log with damages, sometimes spliced with another."""
    lines: list[bytes] = []
    for text in dice.sample(texts, 2 if dice.random() < 0.3 else 1):
        start = dice.randrange(max(1, len(text) - _LONGEST // 2))
        lines += text[start : start + _LONGEST].splitlines(keepends=True) or [b"\n"]
    for _ in range(dice.randrange(1, 12)):
        dice.choice(DAMAGES)(lines, dice)
    return b"".join(lines)


def blocks(data: bytes, dice: random.Random) -> Iterator[bytes]:
    """The bytes in pieces of any size, as a pipe may give them."""
    size = dice.choice((1, 7, 100, 4096, 1 << 20)) if len(data) < 20_000 else 1 << 16
    for start in range(0, len(data), size):
        yield data[start : start + size]


def _seconds(data: bytes, dice: random.Random) -> float:
    # Of the processor alone: other programs disturb.
    begin = time.process_time()
    folded(parsed("log", blocks(data, dice)))
    return time.process_time() - begin


def main() -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="triage_fuzz.py", description="Damaged logs through the reader.")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    texts, bad, slowest, total = corpus(options.corpus), 0, 0.0, 0
    begin = time.perf_counter()
    for run in range(options.runs):
        dice = random.Random(f"{options.seed}-{run}")
        data = damaged(texts, dice)
        total += len(data)
        try:
            taken = _seconds(data, dice)
        except Exception:
            traceback.print_exc()
            print(f"run {run} failed")
            bad += 1
            continue
        slowest = max(slowest, taken)
        if taken > _SLOW:
            print(f"run {run} took {taken:.2f} s")
            bad += 1
    print(
        f"{options.runs} damaged logs, {total / 1e6:.0f} MB in {time.perf_counter() - begin:.0f} s, "
        f"{bad} bad, the slowest {slowest:.3f} s"
    )
    dice = random.Random(options.seed)
    worst = 0.0
    for text in _HARD:
        for line in (text, text + b"\n", b"Traceback (most recent call last):\n" + text + b"\n"):
            once = min(_seconds(line * 20, dice) for _ in range(3))
            twice = min(_seconds(line * 40, dice) for _ in range(3))
            worst = max(worst, twice / max(once, 0.05))
    print(f"{len(_HARD)} hard texts: twice the log takes at most {worst:.1f} times as long")
    return 1 if bad or worst > 4 else 0


if __name__ == "__main__":
    sys.exit(main())
