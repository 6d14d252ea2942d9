"""Makes the logs of the corpus that come from the simulated device, by breaking lanes of the backend.

usage: python tests/triage/make_device_logs.py CORPUS CACHE

CACHE is syncbot's cache with the environments that ``syncbot verify --simulate`` made, and the lanes' wheels.
The engine of a release runs with the lane of another one, with a fault put into the backend, or without the
model's weights; what it prints is kept. Everything runs in /srv/app, and the environment's path is replaced.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

APP = Path("/srv/app/device")
MODEL = "qwen3"


@dataclass(frozen=True)
class Run:
    """A run that fails: engine and lane by version, a fault, and what is true of the log."""

    name: str
    engine: str
    lane: str
    kind: str | None
    origin: str
    control: str = ""
    processes: bool = True
    weights: bool = True
    checked: bool = True


RUNS = (
    Run("keyword", "0.32.0", "0.32.0", "operator", "unknown", control="keyword", processes=False),
    Run("keyword-processes", "0.32.0", "0.32.0", "operator", "unknown", control="keyword"),
    Run("missing", "0.32.0", "0.32.0", "not-implemented", "unknown", control="reference", processes=False),
    Run("missing-processes", "0.28.0", "0.28.0", "not-implemented", "unknown", control="reference"),
    Run("wrong-lane", "0.32.0", "0.28.0", None, "unknown"),
    Run("old-lane", "0.32.0", "0.28.0", "too-many-arguments", "upstream", checked=False),
    Run("new-lane", "0.28.0", "0.32.0", "no-attribute", "upstream", checked=False),
    Run("weights", "0.32.0", "0.32.0", "missing-weights", "environment", weights=False),
)


def only(pattern: str, cache: Path) -> Path:
    return sorted(cache.glob(pattern), key=lambda path: path.stat().st_mtime)[-1]


def run(case: Run, cache: Path) -> bytes:
    environment = only(f"environments/vllm-{case.engine}-*/bin/python", cache)
    wheel = only(f"lanes/v{case.lane}-*/*.whl", cache)
    site, work = APP / "site-packages", APP / "work"
    for folder in (site, work):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    if not case.checked:
        # A lane refuses any other version: what would happen is to be seen.
        file = site / "ascend_backend/__init__.py"
        file.write_text(file.read_text().replace("\nrequire_matching_vllm()", "\n"))
    npu = only("artifacts/torch-npu-2.1*/*.whl", cache)
    variables = {
        "PATH": os.environ["PATH"], "HOME": str(APP), "PYTHONPATH": str(site), "TMPDIR": str(work),
        "TORCH_NPU_SIM_WHEEL": str(npu), "TORCH_NPU_SIM_FLOAT32": "1",
        "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1",
        "VLLM_PLUGINS": "ascend,ascend_layers", "VLLM_USE_V2_MODEL_RUNNER": "0",
        "VLLM_ENABLE_V1_MULTIPROCESSING": str(int(case.processes)), "VLLM_CACHE_ROOT": str(work / "cache"),
    }  # fmt: skip
    model = ["--model", MODEL, "--directory", str(work)]

    def python(module: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        line = [str(environment), "-m", f"vllm_npu_cases.{module}", *model, *arguments]
        return subprocess.run(
            line, env=variables, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )

    reference = python("reference")
    if reference.returncode == 0:
        if not case.weights:
            for file in work.glob("*.safetensors"):
                file.unlink()
        control = ["--control", case.control] if case.control else []
        reference = python("engine", "--output", str(work / "result.json"), *control)
    assert reference.returncode != 0, reference.stdout
    text = reference.stdout
    for place, name in (
        (environment.parents[1] / "lib/python3.11", b"/usr/lib/python3"),
        (npu.parent, b"/usr/lib/artifacts"),
        (Path(sys.base_prefix) / "lib/python3.11", b"/usr/lib/python3"),
        (environment.parents[1], b"/usr"),
    ):
        text = text.replace(str(place).encode(), name)
        text = text.replace(str(place.resolve()).encode(), name)
    return text


def main() -> None:
    corpus, cache = Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute()
    file = corpus / "cases.json"
    cases = json.loads(file.read_text())
    for case in RUNS:
        if sys.argv[3:] and case.name not in sys.argv[3:]:
            continue
        name = f"device-{case.name}.log"
        (corpus / name).write_bytes(run(case, cache))
        cases[name] = {"kind": case.kind, "pr": None, "origin": case.origin}
        print(name, (corpus / name).stat().st_size, flush=True)
    file.write_text(json.dumps(dict(sorted(cases.items())), indent=1) + "\n")


if __name__ == "__main__":
    main()
