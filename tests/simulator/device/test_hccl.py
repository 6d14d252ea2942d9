"""torch.distributed on npu: the collectives that vLLM uses, between two processes."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.simulator.beside_torch import Program

PROGRAM = Path(__file__).with_name("two_ranks.py")


def test_all_collectives_give_what_they_should(tmp_path: Path) -> None:
    ranks = [
        Program(PROGRAM, [path for path in sys.path if path], (str(rank), str(tmp_path / "store")))
        for rank in range(2)
    ]
    for done in [rank.finish() for rank in ranks]:
        assert done.returncode == 0, done.stderr
        assert done.stdout.endswith("all collectives\n")
