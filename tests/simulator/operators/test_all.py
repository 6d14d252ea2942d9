"""No reference is without a test that names it."""

from __future__ import annotations

from pathlib import Path

from torch_npu_sim.operators import implemented

HERE = Path(__file__).parent
LANE = HERE.parents[1] / "backend" / "lane"


def test_every_reference_is_named_in_a_test() -> None:
    texts = [path.read_text(encoding="utf-8") for folder in (HERE, LANE) for path in folder.glob("*.py")]
    text = "\n".join(texts)
    # Overloads and workspaces are made of the name of their operator.
    made = ("_get_max_workspace", ".out")
    plain = {name for name in implemented() if not name.endswith(made)}
    assert len(plain) > 50
    assert {name for name in plain if f'"{name}"' not in text} == set()
