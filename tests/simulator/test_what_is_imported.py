"""The simulated device knows torch alone; what knows vLLM is a package of its own, and modules import one way."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.backend.test_import_circles import circle, imports

SIMULATOR = Path(__file__).parents[2] / "simulator"
DEVICE, CASES = SIMULATOR / "src", SIMULATOR / "vllm" / "src"
FOREIGN = {"vllm", "vllm_ascend", "ascend_backend", "vllm_npu_cases", "transformers"}


def imported(text: str) -> set[str]:
    """The packages that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def test_the_device_imports_no_user_of_it() -> None:
    found = {
        f"{path.relative_to(DEVICE)}: {name}"
        for path in DEVICE.rglob("*.py")
        for name in imported(path.read_text(encoding="utf-8")) & FOREIGN
    }
    assert found == set()


def test_an_import_of_a_user_is_seen_and_another_is_none() -> None:
    text = "def f():\n    from vllm.config import VllmConfig\n\nimport torch.nn\nimport vllm_npu_cases.check as check\n"
    assert imported(text) == {"vllm", "torch", "vllm_npu_cases"}


@pytest.mark.parametrize("sources", [DEVICE, CASES])
def test_no_module_imports_itself_by_way_of_others(sources: Path) -> None:
    graph = imports(sources)
    assert len(graph) > 20
    assert circle(graph) == []
