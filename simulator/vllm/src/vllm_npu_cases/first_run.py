"""The first run on a device: a quarter of an hour, and a table to paste into an issue.

``python -m vllm_npu_cases.first_run``

Each row is a case: its tokens beside those of transformers, and the operators that ran beside those of the simulated
device (``first_run_simulated.py``). Exit codes: 0 if every row agrees, 1 if one does not, 2 if there is no device.

``--device simulated --record`` runs the same without a device and writes down what to compare with.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from vllm_npu_cases.first_run_simulated import RAN

#: By runner: what one device can run, the simplest first.
RUNS: Mapping[str, tuple[str, ...]] = {
    "v1": ("qwen3", "chunked_prefill", "deepseek_v3", "qwen3_moe", "w8a8", "qwen3_vl", "graphs_full"),
    "v2": ("qwen3", "graphs_full"),
}
_MODULE = Path(__file__).with_name("first_run_simulated.py")
_PACKAGES = ("vllm", "torch", "torch_npu", "triton-ascend", "transformers")
_VARIABLES = ("ASCEND_", "CANN_", "HCCL_", "PYTORCH_NPU_", "TASK_QUEUE_")
#: In logits: below it another order of additions gives another token.
_CLOSE = 0.05


def compared(results: Iterable[Mapping[str, Any]], simulated: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the rows of the table."""
    yield "| case | runner | tokens | operators | seconds |"
    yield "|---|---|---|---|---|"
    for result in results:
        expected = simulated.get(_name(result))
        found = result.get("operators")
        row = (result["case"], result["runner"], _tokens(result), _operators(found, expected), result["seconds"])
        yield f"| {' | '.join(map(str, row))} |"


def agrees(result: Mapping[str, Any], simulated: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a row says nothing that the simulation does not."""
    return result["failure"] is None and {*result["operators"]} == {*simulated.get(_name(result), ())}


def _name(result: Mapping[str, Any]) -> str:
    return f"{result['case']}-{result['runner']}"


def _tokens(result: Mapping[str, Any]) -> str:
    if result["failure"] is None:
        return "equal"
    margin = result.get("margin")
    near = "" if margin is None or margin >= _CLOSE else f" (margin {margin:.4f}: rounding may do that)"
    return str(result["failure"]).replace("|", "/") + near


def _operators(found: Collection[str] | None, expected: Collection[str] | None) -> str:
    if found is None or expected is None:
        return "not known"
    told = [f"no {name}" for name in sorted({*expected} - {*found})]
    told += [f"also {name}" for name in sorted({*found} - {*expected})]
    return "; ".join(told) or "as simulated"


def recorded(ran: Mapping[str, Collection[str]]) -> str:
    """Return the text of the module that says which operators ran in which run."""
    runs = (
        "\n".join([f'    "{name}": (', *(f'        "{each}",' for each in sorted(ran[name])), "    ),"])
        for name in sorted(ran)
    )
    return "\n".join(
        [
            '"""Which operators ran on the simulated device: ``vllm_npu_cases.first_run --record`` writes it."""',
            "",
            "RAN = {",
            *runs,
            "}",
            "",
        ]
    )


def _machine(device: str) -> Iterator[str]:
    """Yield what the runs depend on beside the code."""
    for name in _PACKAGES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield f"{name} is not installed"
    yield f"Python {platform.python_version()} on {platform.machine()}"
    if device == "npu":
        look = "import torch, torch_npu; print(torch.npu.device_count(), 'times', torch.npu.get_device_name(0))"
        asked = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=False)
        yield (asked.stdout.strip() or "the device does not answer").splitlines()[-1]
    for name, value in sorted(os.environ.items()):
        if name.startswith(_VARIABLES):
            yield f"{name}={value}"


def _results(device: str, work: Path) -> Iterator[dict[str, Any]]:
    """Yield the results of all runs. Raises SystemExit where they cannot begin."""
    for runner, cases in RUNS.items():
        output = work / f"{runner}.json"
        chosen = [word for case in cases for word in ("--case", case)]
        command = [sys.executable, "-m", "vllm_npu_cases.check", "--device", device, "--runner", runner]
        done = subprocess.run([*command, *chosen, "--output", output, "--work", work], check=False)
        if not output.exists():
            raise SystemExit(done.returncode or 1)
        yield from json.loads(output.read_text())


def main() -> int:
    """Run the cases, print the table and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="vllm_npu_cases.first_run", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--device", choices=("npu", "simulated"), default="npu")
    parser.add_argument("--record", action="store_true", help="write what was run to what is compared with")
    parser.add_argument("--work", type=Path, help="keep the models and the logs in this folder")
    given = parser.parse_args()
    work = (given.work or Path(tempfile.mkdtemp(prefix="first-run-"))).resolve()
    work.mkdir(parents=True, exist_ok=True)
    results = list(_results(given.device, work))
    if given.record:
        _MODULE.write_text(recorded({_name(each): each["operators"] for each in results if each["failure"] is None}))
    print("", *(f"- {line}" for line in _machine(given.device)), "", *compared(results, RAN), sep="\n")
    print(f"\nLogs: {work}")
    return 0 if all(agrees(result, RAN) for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
