"""Proves the backend on this machine: the tokens of the real vLLM engine on the simulated device must be
those of Hugging Face transformers with the same weights.

``python -m ascend_backend.simulation.check --model qwen3 --output result.json [--runner v1|v2]``

Exit codes: 0 equal, 1 different or the engine failed, 2 wrong use.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ascend_backend.simulation import schemas
from ascend_backend.simulation.models import recipes

_RUNNERS = {"v1": "0", "v2": "1"}


def environment(work: Path, runner: str) -> dict[str, str]:
    """Return the environment of the processes; it must be there before their Python starts."""
    return os.environ | {
        "ASCEND_SIMULATE": "1",
        "ASCEND_SIMULATE_FLOAT32": "1",
        # Triton decides on import whether to interpret; an empty list lets vLLM use it without a driver.
        "TRITON_INTERPRET": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_PLUGINS": "ascend,ascend_layers",
        "VLLM_USE_V2_MODEL_RUNNER": _RUNNERS[runner],
        # One process, so that the counters of the operators are at hand.
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        "VLLM_LOGGING_LEVEL": "WARNING",
        "VLLM_CACHE_ROOT": str(work / "cache"),
    }


def run(model: str, runner: str, control: str | None, work: Path) -> dict[str, Any]:
    """Return the result; ``error`` holds the last line of a process that failed."""
    start = time.monotonic()
    directory = work / model
    directory.mkdir(parents=True, exist_ok=True)
    output = work / f"{model}-{runner}.json"
    output.unlink(missing_ok=True)
    result: dict[str, Any] = {"model": model, "runner": runner, "control": control, "equal": False}
    variables = environment(work, runner)
    common = ["--model", model, "--directory", str(directory)]
    error = _python("reference", common, variables, work / f"{model}-reference.log")
    if error is None:
        engine = [*common, "--output", str(output), *(["--control", control] if control else [])]
        error = _python("engine", engine, variables, work / f"{model}-{runner}.log")
    if error is None:
        reference = json.loads((directory / "reference.json").read_text())
        result |= json.loads(output.read_text())
        ran = result["operators"]
        result |= {
            "reference": reference["tokens"],
            "margin": reference["margin"],
            "transformers": reference["transformers"],
            "equal": result["tokens"] == reference["tokens"],
            "missing_operators": [name for name in recipes()[model].operators if name not in ran],
        }
    else:
        result["error"] = error
    return result | {"seconds": round(time.monotonic() - start, 1)}


def _python(module: str, arguments: list[str], variables: dict[str, str], log: Path) -> str | None:
    """Run a module of this package in a process of its own; return the reason of a failure."""
    command = [sys.executable, "-m", f"ascend_backend.simulation.{module}", *arguments]
    with log.open("w") as stream:
        code = subprocess.run(command, env=variables, stdout=stream, stderr=subprocess.STDOUT).returncode
    if code == 0:
        return None
    lines = [line.strip() for line in log.read_text().splitlines() if line.strip()]
    return f"{module} ended with code {code}: {lines[-1] if lines else 'no output'} (log: {log})"


def verdict(result: dict[str, Any]) -> str | None:
    """Return why the check has failed, or None."""
    if "error" in result:
        return str(result["error"])
    if not result["equal"]:
        pairs = zip(result["tokens"], result["reference"], strict=True)
        prompt = next(i for i, (got, wanted) in enumerate(pairs) if got != wanted)
        return f"the tokens of prompt {prompt} differ from the reference"
    if result["missing_operators"]:
        return f"operators that never ran: {', '.join(result['missing_operators'])}"
    return None


def main() -> int:
    """Run the check, write ``--output`` and return the exit code."""
    parser = argparse.ArgumentParser(prog="ascend_backend.simulation.check", description=__doc__)
    parser.add_argument("--model", default="qwen3", choices=sorted(recipes()))
    parser.add_argument("--output", required=True, type=Path)
    parser.add_argument("--runner", default="v1", choices=sorted(_RUNNERS))
    parser.add_argument("--control", choices=("scale", "keyword", "missing"), help="a fault to put in")
    parser.add_argument("--work", type=Path, help="keep the model and the logs in this folder")
    arguments = parser.parse_args()
    try:
        schemas.locate()
    except ImportError as error:
        parser.error(str(error))
    work = arguments.work or Path(tempfile.mkdtemp(prefix="ascend-check-"))
    result = run(arguments.model, arguments.runner, arguments.control, work.resolve())
    arguments.output.write_text(json.dumps(result, indent=1) + "\n")
    failure = verdict(result)
    name = f"{arguments.model} on {arguments.runner}"
    print(f"{name}: equal in {result['seconds']} s" if failure is None else f"{name}: {failure}")
    return 0 if failure is None else 1


if __name__ == "__main__":
    sys.exit(main())
