"""Errors that say too little are raised again with what was wanted, what there was and what helps."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch
from ascend_backend._lane import TORCH_NPU
from ascend_backend.ops.availability import SINCE
from ascend_backend.worker.device_errors import (
    MemoryGrewError,
    MissingOperatorError,
    NPUOutOfMemoryError,
    explained,
)
from ascend_backend.worker.npu_worker import NPUWorker
from vllm.v1.worker.gpu_worker import Worker

WORKSPACE = (
    "NPU out of memory. NPUWorkspaceAllocator tried to allocate 180.00 MiB(NPU 1; 60.96 GiB total capacity; "
    "86.81 MiB free). If you want to reduce memory usage, take a try to set the environment variable "
    "TASK_QUEUE_ENABLE=1."
)
CACHING = (
    "NPU out of memory. Tried to allocate 2.50 GiB (NPU 0; 60.96 GiB total capacity; 55.11 GiB already "
    "allocated; 55.11 GiB current active; 1.02 GiB free; 58.20 GiB reserved in total by PyTorch)"
)


@pytest.mark.parametrize(
    ("text", "facts", "settings"),
    [
        (
            WORKSPACE,
            "NPU 1 is out of memory: 180.00 MiB asked, 86.81 MiB of 60.96 GiB free",
            "TASK_QUEUE_ENABLE=1",
        ),
        (
            CACHING,
            "NPU 0 is out of memory: 2.50 GiB asked, 1.02 GiB of 60.96 GiB free",
            "PYTORCH_NPU_ALLOC_CONF=expandable_segments:True",
        ),
    ],
)
def test_out_of_memory(text: str, facts: str, settings: str) -> None:
    with pytest.raises(NPUOutOfMemoryError) as error, explained():
        raise RuntimeError(f"[ERROR] {text}\n[W compiler_depend.ts:1] more")
    line = str(error.value)
    assert line.startswith(facts)
    assert "\n" not in line
    for setting in ("--gpu-memory-utilization", "--max-num-batched-tokens", settings):
        assert setting in line
    assert isinstance(error.value, torch.OutOfMemoryError)


def test_a_custom_operator_of_another_devices_extension() -> None:
    with pytest.raises(MissingOperatorError) as error, explained():
        torch.ops._C.get_cuda_view_from_cpu_tensor(torch.ones(1))
    assert str(error.value).startswith(
        "torch.ops._C.get_cuda_view_from_cpu_tensor is not registered: it belongs to"
    )


def test_an_operator_that_the_installed_torch_npu_lacks_is_named_with_the_one_of_the_lane() -> None:
    with pytest.raises(MissingOperatorError) as error, explained():
        torch.ops.npu.npu_no_such_operator(torch.ones(1))
    assert str(error.value) == (
        "the installed torch_npu has no operator torch.ops.npu.npu_no_such_operator; this wheel was made with "
        f"torch_npu {TORCH_NPU}: run pip install 'torch_npu=={TORCH_NPU}'"
    )


@pytest.mark.parametrize("name", ["npu_gather_pa_kv_cache", "npu_swiglu"])
def test_an_operator_of_the_backend_is_named_with_the_first_release_that_has_it(name: str) -> None:
    with pytest.raises(MissingOperatorError) as error, explained():
        raise AttributeError(f"'_OpNamespace' 'npu' object has no attribute '{name}'")
    assert str(error.value) == (
        f"the installed torch_npu has no operator torch.ops.npu.{name}; torch_npu {SINCE[name]} is the first "
        f"release that takes the call: run pip install 'torch_npu>={SINCE[name]}'"
    )


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("load_model", ()),
        ("determine_available_memory", ()),
        ("initialize_from_config", (SimpleNamespace(kv_cache_groups=[]),)),
        ("compile_or_warm_up_model", ()),
        ("execute_model", (None,)),
        ("sample_tokens", (None,)),
        ("wake_up", (None,)),
    ],
)
def test_wherever_a_worker_takes_memory_its_lack_is_explained(
    method: str, arguments: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stock(self: Worker, *arguments: object, **keywords: object) -> None:
        raise RuntimeError(CACHING)

    monkeypatch.setattr(Worker, method, stock)
    worker = object.__new__(NPUWorker)
    worker.vllm_config = SimpleNamespace(model_config=None)
    with pytest.raises(NPUOutOfMemoryError, match=r"^NPU 0 is out of memory: .*--gpu-memory-utilization"):
        getattr(worker, method)(*arguments)


@pytest.mark.parametrize(
    "error", [RuntimeError("shape mismatch"), AttributeError("no attribute 'x'"), KeyError("y")]
)
def test_other_errors_pass_as_they_are(error: Exception) -> None:
    with pytest.raises(type(error)) as caught, explained():
        raise error
    assert caught.value is error


@pytest.mark.parametrize("grown", [True, False])
def test_free_memory_that_grew_while_profiling(grown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    free, _ = torch.npu.mem_get_info()
    worker = object.__new__(NPUWorker)
    worker.parallel_config = SimpleNamespace(distributed_executor_backend="mp")
    worker.init_snapshot = SimpleNamespace(free_memory=free - (1 << 30) if grown else free + (1 << 30))

    def profile(self: Worker) -> int:
        assert not grown, "Error in memory profiling. Initial free memory …"
        raise AssertionError("of another kind")

    monkeypatch.setattr(Worker, "determine_available_memory", profile)
    if grown:
        with pytest.raises(
            MemoryGrewError, match=r"grew from [\d.]+ to [\d.]+ GiB .*--kv-cache-memory-bytes"
        ):
            worker.determine_available_memory()
    else:
        with pytest.raises(AssertionError, match=r"^of another kind$"):
            worker.determine_available_memory()


def without(operators: tuple[str, ...], program: str) -> subprocess.CompletedProcess[str]:
    """Run a program with a torch_npu 2.5.1 that lacks some operators."""
    lacking = f"import torch, torch_npu; torch_npu.__version__ = '2.5.1'; [delattr(torch_npu, n) for n in {operators}]"
    return subprocess.run(
        [sys.executable, "-c", f"{lacking}; {program}"], capture_output=True, text=True, check=False
    )


def test_a_torch_npu_without_an_operator_is_refused_when_operators_are_imported() -> None:
    process = without(("npu_swiglu", "npu_scatter_pa_kv_cache"), "import ascend_backend.ops.norm")
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1] == (
        "ImportError: torch_npu 2.5.1 has no operator npu_scatter_pa_kv_cache, npu_swiglu; torch_npu "
        f"{SINCE['npu_scatter_pa_kv_cache']} is the first release that takes all calls: run pip install "
        f"'torch_npu>={SINCE['npu_scatter_pa_kv_cache']}'"
    )


def test_operators_that_few_models_need_are_asked_of_those_alone() -> None:
    program = "from ascend_backend.ops import availability; print('imported'); availability.require(availability.GATED_DELTA_NET)"
    process = without(("npu_chunk_gated_delta_rule", "npu_recurrent_gated_delta_rule"), program)
    assert (process.returncode, process.stdout) == (1, "imported\n")
    assert process.stderr.splitlines()[-1].startswith(
        "ImportError: torch_npu 2.5.1 has no operator npu_chunk_gated_delta_rule, npu_recurrent_gated_delta_rule; "
        f"torch_npu {SINCE['npu_chunk_gated_delta_rule']} is the first release"
    )
