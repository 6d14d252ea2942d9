"""torch.distributed on npu: the collectives that vLLM uses, between two processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("two_ranks.py")


def test_all_collectives_give_what_they_should(tmp_path: Path) -> None:
    ranks = [
        subprocess.Popen(
            [sys.executable, PROGRAM, str(rank), str(tmp_path / "store"), *(p for p in sys.path if p)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(2)
    ]
    for process in ranks:
        output, _ = process.communicate()
        assert process.returncode == 0, output
        assert output.endswith("all collectives\n")
