"""The newest lane of the committed overlay, which has to lack nothing: `apply` of today would write no patch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.machine

#: What `apply` writes of checks that are stale.
STALE = ("would write compat_matrix.yaml", "would write evidence/")
OVERLAY = Path(__file__).resolve().parents[2] / "overlays" / "vllm-ascend"


def test_no_patch_is_lacking_and_none_needs_an_author() -> None:
    """Of the other lanes `make nightly` asks the same."""
    command = [sys.executable, "-m", "syncbot", "apply", "--check", "--lane", "v0.33.0", "--backend", OVERLAY]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)

    assert done.returncode in (0, 1), done.stderr
    assert [line for line in done.stdout.splitlines() if not line.startswith(STALE)] == []
