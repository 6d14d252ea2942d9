"""Which modules a run depends on, of those that are found by their presence."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# A distribution of its own, as the simulator.
sys.path.insert(0, str(Path(__file__).parents[2] / "simulator" / "vllm" / "src"))

from vllm_npu_cases import used_modules
from vllm_npu_cases.cases import cases, module_of

QWEN3, LORA = "vllm_npu_cases.cases.qwen3", "vllm_npu_cases.cases.lora"
NORM = "torch_npu_sim.references.norm"


def test_a_run_depends_on_what_it_asked_and_on_what_that_imports() -> None:
    nothing, some = used_modules.used([]), used_modules.used([QWEN3, NORM])
    assert nothing is not None
    assert some is not None
    assert set(some) - set(nothing) == {QWEN3, NORM, "vllm_npu_cases.models.qwen3"}
    # What loads the others is used by everybody.
    assert {"torch_npu_sim.references", "vllm_npu_cases.cases"} <= set(nothing)
    assert LORA not in some


def test_a_case_is_of_the_module_that_registers_it() -> None:
    package = Path(used_modules.__file__).parent
    found = {name: module_of(name) for name in cases()}
    assert found["qwen3"] == QWEN3
    assert found["lora"] == LORA
    for name, module in found.items():
        text = (package.parent / f"{module.replace('.', '/')}.py").read_text()
        assert module.startswith("vllm_npu_cases.cases."), name
        assert "register(" in text, name


def test_what_every_run_imports_counts_for_every_run() -> None:
    # A module beside the references imports these two.
    assert {
        "torch_npu_sim.references.causal_conv1d",
        "torch_npu_sim.references.gated_delta_rule",
    } <= set(used_modules.used([]) or ())


def test_an_operator_without_a_reference_makes_all_count() -> None:
    assert used_modules.used([QWEN3, used_modules.ALL]) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import package.inner.norm", {"package.inner", "package.inner.norm"}),
        ("from package.inner import norm, other", {"package.inner", "package.inner.norm"}),
        ("def late():\n    from package.inner.norm import rms", {"package.inner", "package.inner.norm"}),
        ("import elsewhere\nnorm = 'package.inner.norm'", set()),
    ],
)
def test_imports_wherever_they_stand(text: str, found: set[str], tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(text)
    known = dict.fromkeys(("package.inner", "package.inner.norm"), file)
    assert used_modules.imported(file, known) == found
