"""Proves the backend on this machine: the real vLLM engine on the simulated device must answer as Hugging Face
transformers does with the same weights.

``python -m vllm_npu_cases.check --case qwen3 --runner v1 --output result.json``

``--case`` and ``--runner`` may be repeated, and ``--case all`` means every case; each case runs on every given
runner that it is for. One object is written for one run, a list of them for several.

Exit codes: 0 equal, 1 different or the engine failed, 2 wrong use.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch_npu_sim.faults import noted
from torch_npu_sim.schemas import wheel
from torch_npu_sim.settings import variable

from vllm_npu_cases import executed, faults
from vllm_npu_cases.cases import cases, module_of
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.fault_trials import Trials
from vllm_npu_cases.plugins import plugin
from vllm_npu_cases.session import DTYPE_VARIABLE

_RUNNERS = {"v1": "0", "v2": "1"}
_DEVICES = ("npu", "simulated")
_ALL = "all"
#: The functions of this module that decide what a run says; it is the one process that does not record itself.
_KEY = "vllm_npu_cases/check.py"
_DECIDES = ("Run.task", "_result", "environment", "verdict")
#: How many engines run at a time, where the command does not say.
_AT_ONCE = "VLLM_NPU_CASES_AT_ONCE"


@dataclass(frozen=True)
class Run:
    """A case on one of vLLM's model runners, and where its files are."""

    case: Case
    runner: str
    control: str | None
    work: Path
    device: str = "simulated"

    @property
    def name(self) -> str:
        """The name of the run's files."""
        return "-".join([self.case.name, self.runner, *([self.control] if self.control else [])])

    @property
    def directory(self) -> Path:
        """Where the model is, which other cases may share."""
        return self.work / self.case.model.name

    @property
    def output(self) -> Path:
        """The file that the engine writes."""
        return self.work / f"{self.name}.json"

    @property
    def reference(self) -> Path:
        """The file that the reference writes."""
        return self.directory / f"{self.case.name}.reference.json"

    def executed(self, module: str) -> Path:
        """Where a process marks what it executes; of the reference, which has no runner, that is of the case."""
        return self.work / "executed" / f"{self.case.name if module == 'reference' else self.name}.{module}"

    @property
    def effects(self) -> Path:
        """Where each time is noted that the fault took effect."""
        return self.work / f"{self.name}.effects"

    def log(self, module: str) -> Path:
        """Return the file for the output of a process."""
        return self.work / f"{self.name}-{module}.log"

    def task(self, module: str) -> dict[str, Any]:
        """Return the task that a process gets."""
        return {
            "name": self.name,
            "case": self.case.name,
            "module": module_of(self.case.name),
            "executed": str(self.executed(module)),
            "reference": str(self.reference),
            "directory": str(self.directory),
            "output": str(self.output),
            "log": str(self.log(module)),
            "variables": {
                executed.FOLDER: str(self.executed(module)),
                **({faults.VARIABLE: self.control, variable("took_effect"): str(self.effects)} if self.control else {}),
                "VLLM_USE_V2_MODEL_RUNNER": _RUNNERS[self.runner],
                "VLLM_USE_BREAKABLE_CUDAGRAPH": "0",
                DTYPE_VARIABLE: plugin().simulated_dtype if self.device == "simulated" else self.case.model.dtype,
                **self.case.variables,
            },
        }


#: What stands in for a device, whatever the plugin.
_SIMULATED = {
    # Triton decides on import whether to interpret; an empty list lets vLLM use it without a driver.
    "TRITON_INTERPRET": "1",
    "CUDA_VISIBLE_DEVICES": "",
}


#: transformers computes on the CPU, whatever device there is.
_OF_MODULE: Mapping[str, dict[str, str]] = {"reference": {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}, "engine": {}}


def environment(work: Path, device: str = "simulated") -> dict[str, str]:
    """Return the environment of the processes; it must be there before their Python starts."""
    simulated, proven = {**_SIMULATED, **plugin().simulated}, plugin()
    inherited = {name: value for name, value in os.environ.items() if name not in simulated}
    return inherited | {
        **(simulated if device == "simulated" else {}),
        **proven.variables,
        # The models are tiny, and a child must not inherit threads that do not run in it.
        "OMP_NUM_THREADS": "1",
        # vLLM marks where a graph may be cut when it is imported; a case says whether it is.
        "VLLM_USE_BREAKABLE_CUDAGRAPH": "1",
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        # One process, so that a fault reaches the log of its case.
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        "VLLM_LOGGING_LEVEL": "WARNING",
        "VLLM_CACHE_ROOT": str(work / "cache"),
    }


def check(runs: Iterable[Run], work: Path, at_once: int = 1) -> Iterator[dict[str, Any]]:
    """Yield the result of every run as soon as it is known; ``error`` is the last line of one that failed.

    ``at_once`` engines run at a time.
    """
    runs = list(runs)
    for run in runs:
        run.directory.mkdir(parents=True, exist_ok=True)
        for stale in (run.output, run.reference, run.effects):
            stale.unlink(missing_ok=True)
        for folder in map(run.executed, _OF_MODULE):
            shutil.rmtree(folder, ignore_errors=True)
    # A case is asked of the reference once, however many runners it has.
    first = {run.case.name: run for run in reversed(runs)}
    failures = {name: error for name, error, _ in _work("reference", list(first.values()), work)}
    errors = {run.name: failures[first[run.case.name].name] for run in runs}
    for run in runs:
        if lacking := run.case.needs - plugin().features:
            errors[run.name] = f"{plugin().package} lacks {', '.join(sorted(lacking))}"
            yield _result(run, errors[run.name], 0.0) | {"unsupported": errors[run.name]}
        elif (error := errors[run.name]) is not None:
            yield _result(run, error, 0.0)
    sound = {run.name: run for run in runs if errors[run.name] is None}
    for name, error, seconds in _work("engine", list(sound.values()), work, "--at-once", str(at_once)):
        yield _result(sound[name], error, seconds) | _refused(sound[name], error)


def _work(module: str, runs: list[Run], work: Path, *options: str) -> Iterator[tuple[str, str | None, float]]:
    """Have a module of this package work on the runs in a process of its own; yield why each failed, or None, and how
    long it took after the imports.
    """
    if not runs:
        return
    tasks = work / f"{module}.tasks.json"
    tasks.write_text(json.dumps([run.task(module) for run in runs]))
    command = [sys.executable, "-m", f"vllm_npu_cases.{module}", "--tasks", str(tasks), *options]
    common, left = work / f"{module}.log", {run.name: run for run in runs}
    with (
        common.open("w") as errors,
        subprocess.Popen(
            command,
            env=environment(work, runs[0].device) | _OF_MODULE[module] | _recorded(work, module),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        for line in process.stdout or ():
            if not line.startswith('{"task"'):
                continue
            said = json.loads(line)
            run, code = left.pop(said["task"]), said["code"]
            yield run.name, None if code == 0 else _reason(module, code, run.log(module)), said.get("seconds", 0.0)
    for name in left:
        yield name, _reason(module, process.returncode, common), 0.0


def _reason(module: str, code: int, log: Path) -> str:
    lines = [line.strip() for line in log.read_text().splitlines() if line.strip()] if log.exists() else []
    return f"{module} ended with code {code}: {lines[-1] if lines else 'no output'} (log: {log})"


def _result(run: Run, error: str | None, seconds: float) -> dict[str, Any]:
    plain = {"case": run.case.name, "runner": run.runner, "control": run.control, "seconds": round(seconds, 1)}
    if run.control:
        plain["took_effect"] = dict(noted(run.effects))
    plain |= _executed(run)
    if error is not None:
        return plain | {"equal": False, "error": error}
    reference, engine = (json.loads(path.read_text()) for path in (run.reference, run.output))
    return {
        **plain,
        **engine,
        "reference": reference["answer"],
        "margin": reference["margin"],
        "transformers": reference["transformers"],
        "equal": engine["difference"] is None,
    }


def _recorded(work: Path, module: str) -> dict[str, str]:
    """Return the variables that have a process and its children mark what they execute."""
    return executed.variables(work / "executed" / module, ("torch_npu_sim", "vllm_npu_cases", plugin().package))


def _executed(run: Run) -> dict[str, dict[str, list[str]]]:
    """Return as ``executed`` the functions that a run depends on, by module."""
    found = executed.executed(map(run.executed, _OF_MODULE))
    counted = executed.counted(found, Path(executed.__file__).parents[1])
    return {"executed": {**counted, _KEY: list(_DECIDES)}} if counted else {}


def _refused(run: Run, error: str | None) -> dict[str, str]:
    """Return what was refused in so many words, where that ended the run."""
    if error is None or not run.output.exists():
        return {}
    words = json.loads(run.output.read_text()).get("unsupported")
    return {"unsupported": words, "error": words} if words else {}


def _require_device() -> None:
    """Raise ImportError with one line unless torch_npu finds a device; asked in a process that ends at once."""
    look = "import torch_npu, torch; raise SystemExit(0 if torch.npu.is_available() else 'there is no device')"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ImportError(f"torch_npu cannot be used ({reason}); install it and CANN, or leave out --device npu")


def verdict(result: Mapping[str, Any]) -> str | None:
    """Return why a run has failed, or None."""
    if "error" in result:
        return str(result["error"])
    wanted = plugin().runners[result["runner"]]
    if not all(name.endswith(wanted) for name in result["runner_class"].split(", ")):
        return f"the model runner is {result['runner_class'] or 'not known'}, not {wanted.removeprefix('.')}"
    if result.get("control") and not result["took_effect"]:
        return f"the fault {result['control']} was put in and never met: this run is blind to it"
    if not result["equal"]:
        return str(result["difference"])
    if result["missing_operators"]:
        return f"operators that never ran: {', '.join(result['missing_operators'])}"
    return None


def _arguments(known: Mapping[str, Case]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="vllm_npu_cases.check", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--case", action="append", choices=[*known, _ALL], help="what to prove (default: qwen3)")
    parser.add_argument("--runner", action="append", choices=sorted(_RUNNERS), help="model runner (default: v1)")
    parser.add_argument("--output", required=True, type=Path, help="the JSON file to write")
    wrong = parser.add_mutually_exclusive_group()
    wrong.add_argument(
        "--control", action="append", choices=sorted(faults.known()), help="a fault to put in; each makes a run"
    )
    wrong.add_argument(
        "--faults", action="store_true",
        help="run each case as it is and with each of its faults; it fails if one takes effect and nobody notices",
    )  # fmt: skip
    parser.add_argument(
        "--device",
        choices=_DEVICES,
        default="simulated",
        help="npu leaves the simulation out and runs on torch_npu and CANN, in half types (default: simulated)",
    )
    parser.add_argument(
        "--at-once", type=int, default=int(os.environ.get(_AT_ONCE, "1")), metavar="N",
        help=f"so many engines at a time, as far as memory goes (default: {_AT_ONCE}, else 1)",
    )  # fmt: skip
    parser.add_argument("--work", type=Path, help="keep the models and the logs in this folder")
    given = parser.parse_args()
    names = given.case or ["qwen3"]
    given.cases = list(known.values()) if _ALL in names else [known[name] for name in dict.fromkeys(names)]
    given.runners = given.runner or ["v1"]
    given.work = (given.work or Path(tempfile.mkdtemp(prefix="ascend-check-"))).resolve()
    if not any(runner in case.runners for case in given.cases for runner in given.runners):
        parser.error(f"{given.cases[0].name} is for {' and '.join(given.cases[0].runners)} alone")
    if given.faults and given.device != "simulated":
        parser.error("faults are put into the simulated device: leave out --device npu")
    try:
        if given.device == "simulated":
            wheel.locate()
        else:
            _require_device()
    except ImportError as error:
        parser.error(str(error))
    return given


def _runs(given: argparse.Namespace) -> list[Run]:
    return [
        Run(case, runner, control, given.work, given.device)
        for case in given.cases
        for runner in given.runners
        for control in ((None, *case.faults) if given.faults else given.control or (None,))
        if runner in case.runners
    ]


def _tried(known: Mapping[str, Case], results: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield what each case makes of its faults, as soon as the last of its runs is known."""
    trials = Trials()
    for result in results:
        if (whole := trials.add(known[result["case"]], result, verdict(result))) is not None:
            yield whole


def _line(result: Mapping[str, Any]) -> str:
    name = f"{result['case']} on {result['runner']}"
    if result["failure"] is not None:
        return f"{name}: {result['failure']}"
    if "faults" not in result:
        return f"{name}: equal in {result['seconds']} s"
    noticed = sum("noticed" in each for each in result["faults"].values())
    blind = [f"blind to {each}" for each, said in result["faults"].items() if "blind" in said]
    return ", ".join([f"{name}: {noticed} of {len(result['faults'])} faults noticed", *blind])


def main() -> int:
    """Run the checks, write ``--output`` and return the exit code."""
    known = cases()
    given = _arguments(known)
    given.work.mkdir(parents=True, exist_ok=True)
    runs = _runs(given)
    found: Iterable[dict[str, Any]] = check(runs, given.work, max(given.at_once, 1))
    found = _tried(known, found) if given.faults else (each | {"failure": verdict(each)} for each in found)
    one = len({(run.case.name, run.runner, given.faults or run.control) for run in runs}) == 1
    results = []
    for result in found:
        print(_line(result), flush=True)
        results.append(result)
        # At once and whole: what was found until then outlives an interrupt.
        partial = given.output.with_name(f"{given.output.name}.partial")
        partial.write_text(json.dumps(result if one else results, indent=1) + "\n")
        partial.replace(given.output)
    return 1 if any(result["failure"] for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
