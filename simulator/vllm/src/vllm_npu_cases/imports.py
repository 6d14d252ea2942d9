"""Imports every module of packages beside vLLM on the simulated device, and says which do not import.

``python -m vllm_npu_cases.imports --package vllm_ascend --output result.json``

The output has under ``modules`` the first line of each module's error, null where it imports, and under
``executed`` the functions that this depends on, by file. All are imported in one process, in the order of their
names, once vLLM has loaded its plugins; where a module ends the process, another one goes on behind it. Exit codes:
0 done, 2 wrong use.
"""

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from vllm_npu_cases import executed
from vllm_npu_cases.check import environment

_PLUGINS = "(plugins of vLLM)"
#: What is executed here, which nothing records, and decides what a module meets.
_DECIDES = {"vllm_npu_cases/check.py": ["environment"], "vllm_npu_cases/imports.py": ["*"]}


def modules(package: str) -> list[str]:
    """Return the modules of a package, which is not imported for it. Raises ModuleNotFoundError."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"there is no package {package}")
    found = set()
    for folder in map(Path, spec.submodule_search_locations):
        for file in folder.rglob("*.py"):
            parts = [package, *file.relative_to(folder).with_suffix("").parts]
            if all(part.isidentifier() for part in parts):
                found.add(".".join(parts).removesuffix(".__init__"))
    return sorted(found)


def imported(names: list[str], work: Path) -> dict[str, str | None]:
    """Return what became of each module."""
    results: dict[str, str | None] = {}
    left = list(names)
    while left:
        told, said = work / "modules.json", work / "said"
        told.write_text(json.dumps(left))
        said.unlink(missing_ok=True)
        command = [sys.executable, "-m", "vllm_npu_cases.imports", "--told", str(told), "--output", str(said)]
        done = subprocess.run(command, env=_recording(work, names), check=False)
        rows = [json.loads(line) for line in said.read_text().splitlines()] if said.exists() else []
        results |= {row["module"]: row["error"] for row in rows if "error" in row}
        begun = [row["module"] for row in rows if "error" not in row]
        ended = next((name for name in begun if name not in results), None)
        if ended is not None:
            results[ended] = f"the process ended with code {done.returncode}"
        rest = [name for name in left if name not in results]
        if len(rest) == len(left):
            return results | dict.fromkeys(rest, f"the process ended with code {done.returncode}")
        left = rest
    return results


def _recording(work: Path, names: list[str]) -> dict[str, str]:
    """The environment of a process that imports these modules, and marks in ``work`` what it executes."""
    packages = sorted({name.partition(".")[0] for name in names})
    return environment(work) | executed.variables(_marks(work), ("torch_npu_sim", "vllm_npu_cases", *packages))


def _marks(work: Path) -> Path:
    return work / "executed" / "imports"


def depends(work: Path) -> dict[str, list[str]]:
    """Return the functions that the result of ``imported`` in ``work`` depends on, by file."""
    found = executed.executed([_marks(work)])
    return {**executed.counted(found, Path(executed.__file__).parents[1]), **_DECIDES}


def _import_all(told: Path, output: Path) -> None:
    with output.open("w") as file:
        for line in _lines(json.loads(told.read_text())):
            file.write(f"{json.dumps(line)}\n")
            file.flush()


def _lines(names: list[str]) -> Iterator[dict[str, str | None]]:
    for name in [_PLUGINS, *names]:
        yield {"module": name}
        yield {"module": name, "error": _error(name)}


def _error(name: str) -> str | None:
    try:
        if name == _PLUGINS:
            from vllm.plugins import load_general_plugins

            load_general_plugins()
        else:
            importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        first = str(error).strip().splitlines()[:1]
        return ": ".join([type(error).__name__, *first])
    return None


def main() -> None:
    """Parse the arguments and import."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", action="append", default=[], help="an import package; may be repeated")
    parser.add_argument("--output", type=Path, required=True, help="file to write")
    parser.add_argument("--told", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.told is not None:
        _import_all(arguments.told, arguments.output)
        return
    try:
        names = [name for package in arguments.package for name in modules(package)]
    except ModuleNotFoundError as error:
        parser.error(str(error))
    with tempfile.TemporaryDirectory(prefix="imports-") as work:
        results = imported(names, Path(work))
        ran = depends(Path(work))
    results = {name: error for name, error in sorted(results.items()) if error is not None or name != _PLUGINS}
    arguments.output.write_text(json.dumps({"modules": results, "executed": ran}, indent=1))


if __name__ == "__main__":
    main()
