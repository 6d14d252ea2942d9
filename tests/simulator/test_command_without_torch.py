"""``python -m torch_npu_sim`` where there is no torch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "simulator" / "src"


def test_one_line_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError('No module named torch', name='torch')")
    done = subprocess.run(
        [sys.executable, "-m", "torch_npu_sim"],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{SOURCES}"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = "torch_npu_sim: No module named torch: install its CPU build here, with pip install torch\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)
