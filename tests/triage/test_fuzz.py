"""Damaged logs: whatever they hold, reading them neither fails nor gives what no log can hold."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest

from syncbot.triage.folded_failures import folded
from syncbot.triage.process_streams import parsed
from tests.budget import tries

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location("triage_fuzz", ROOT / "benchmarks" / "triage_fuzz.py")
assert _SPEC is not None
assert _SPEC.loader is not None
fuzz = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(fuzz)

RUNS = tries(day=300, nightly=2_000)
TEXTS = fuzz.corpus(Path(__file__).parent / "corpus")


@pytest.mark.long
def test_damaged_logs_are_read() -> None:
    failures = 0
    for run in range(RUNS):
        dice = random.Random(f"test-{run}")
        data = fuzz.damaged(TEXTS, dice)
        lines = data.count(b"\n") + 1
        reading = folded(parsed("log", fuzz.blocks(data, dice)))
        for failure in reading.failures:
            assert 1 <= failure.line <= lines
            assert 1 <= failure.count <= lines
            assert len(failure.error.message) <= 4_000
            assert failure.error in failure.chain or not failure.chain[0].frames
        failures += len(reading.failures)
    # Most damages leave the errors legible.
    assert failures > RUNS


@pytest.mark.parametrize("text", fuzz._HARD, ids=lambda text: text[:12].decode("latin-1").strip())
def test_texts_that_patterns_choke_on_are_read(text: bytes) -> None:
    log = b"Traceback (most recent call last):\n" + (text + b"\n") * 20
    log += b'\n\nTraceback (most recent call last):\n  File "a.py", line 1, in f\n    f()\nValueError: the last one\n'
    reading = folded(parsed("log", [log]))
    assert "ValueError: the last one" in {failure.text for failure in reading.failures}


@pytest.mark.parametrize("seed", range(6))
def test_how_the_bytes_arrive_makes_no_difference(seed: int) -> None:
    dice = random.Random(seed)
    for text in TEXTS:
        cuts = sorted(dice.randrange(len(text)) for _ in range(9))
        pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        assert list(parsed("log", pieces)) == list(parsed("log", [text]))
