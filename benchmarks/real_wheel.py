"""Compares the backend with the real torch_npu, without a device: names, schemas, shapes and dtypes.

usage: python benchmarks/real_wheel.py ENVIRONMENT/bin/python TORCH_NPU.whl BACKEND

ENVIRONMENT is a lane's, with a build of torch for the CPU: torch_npu refuses to stand beside another one.
BACKEND is the folder with the lane's package ``ascend_backend``, the wheel that of the lane. CANN is not
needed: empty stand-ins of its libraries, which find no device, are compiled with gcc (nm and readelf say of
what), so that torch_npu can be imported and asked with tensors of the device ``meta``. No kernel runs.
Compared are every name of ``torch.npu`` and ``torch_npu`` in the sources; the schemas of the operators that
``tests/backend/lane/samples.py`` calls, but for ``self``, which torch_npu registers as ``input``; and what
these calls return. Operators without an answer are listed. Exit code 1 where something differs.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
#: Functions of CANN's libraries in C.
_CANN = re.compile(r"(acl|hccl|Hccl|Msprof|rt|ge|mspti|hal)\w+")
_NAMES = re.compile(r"\b(?:torch\.npu|torch_npu)(?:\.\w+)+")
#: What an operator takes in float32 beside half types, by place or name.
_WIDE: dict[str, set[int | str]] = {
    "npu_attention_update": {0},
    "npu_chunk_gated_delta_rule": {"g"},
    "npu_recurrent_gated_delta_rule": {"g"},
}


def _said(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _symbols(kind: str, libraries: Iterable[Path]) -> set[str]:
    lines = _said("nm", "-D", f"--{kind}-only", *libraries).splitlines()
    return {line.split()[-1].partition("@")[0] for line in lines if line.split()}


def _missing(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return True
    return False


def stand_ins(package: Path, torch_libraries: Path, folder: Path) -> None:
    """Compile what torch_npu, unpacked in ``package``, is linked against and this machine lacks."""
    own = [*package.glob("_C*.so"), *package.glob("lib/*.so")]
    present = [*own, *torch_libraries.glob("*.so*")]
    lines = ["int aclrtGetDeviceCount(unsigned *count){*count = 0; return 0;}"]
    for name in _symbols("undefined", own) - _symbols("defined", present) - {"aclrtGetDeviceCount"}:
        if "Msg" in name or name == "aclrtGetSocName":
            lines.append(f'char *{name}(void){{return "Ascend910B1";}}')
        elif _CANN.fullmatch(name):
            lines.append(f"long {name}(void){{return 0;}}")
    source = folder / "stand_in.c"
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", _said("readelf", "-d", *own)))
    for library in filter(_missing, sorted(needed - {path.name for path in present})):
        # The first library has all functions: a symbol is looked for in every one.
        source.write_text("\n".join(lines), encoding="utf-8")
        _said("gcc", "-shared", "-fPIC", "-w", "-o", folder / library, source)
        lines = []


def described(value: Any) -> Any:
    """A value of a call as JSON has it: of a tensor, dtype and shape."""
    if hasattr(value, "dtype"):
        return {str(value.dtype).removeprefix("torch."): list(value.shape)}
    return [described(part) for part in value] if isinstance(value, (list, tuple)) else value


def simulate(target: Path) -> None:
    """Call every sample on the simulated device; write calls, results and schemas."""
    operators = importlib.import_module("torch").ops.npu
    importlib.import_module("ascend_backend.ops")

    def half(value: Any) -> Any:
        if isinstance(value, list):
            return [half(part) for part in value]
        return value.bfloat16() if hasattr(value, "dtype") and value.is_floating_point() else value

    calls, schemas = [], {}
    for name, samples in importlib.import_module("tests.backend.lane.samples").samples().items():
        schemas[name], wide = str(getattr(operators, name).default._schema), _WIDE.get(name, set())
        for arguments, keywords in samples:
            given = [value if place in wide else half(value) for place, value in enumerate(arguments)]
            named = {key: value if key in wide else half(value) for key, value in keywords.items()}
            told = described(given), {key: described(value) for key, value in named.items()}
            calls.append((name, *told, described(getattr(operators, name)(*given, **named))))
    target.write_text(json.dumps({"calls": calls, "schemas": schemas}), encoding="utf-8")


def compare(backend: Path, simulated: Path) -> int:
    """Print in what the real torch_npu differs; how often it does."""
    torch, torch_npu = importlib.import_module("torch"), importlib.import_module("torch_npu")
    sources = list(backend.rglob("*.py"))
    names = {name for path in sources for name in _NAMES.findall(path.read_text(encoding="utf-8"))}
    told, lines, silent = json.loads(simulated.read_text(encoding="utf-8")), [], set()
    for name in sorted(names):
        found: Any = torch if name.startswith("torch.") else torch_npu
        for part in name.split(".")[1:]:
            found = getattr(found, part, None)
        if found is None:
            lines.append(f"{name} does not exist")
    for name, ours in told["schemas"].items():
        theirs = str(getattr(torch.ops.npu, name).default._schema)
        if re.sub("Tensor (self|input)", "", theirs) != re.sub("Tensor (self|input)", "", ours):
            lines.append(f"{ours}\n  torch_npu: {theirs}")

    def meta(value: Any) -> Any:
        if isinstance(value, dict):
            ((dtype, shape),) = value.items()
            return torch.empty(shape, dtype=getattr(torch, dtype), device="meta")
        return [meta(part) for part in value] if isinstance(value, list) else value

    for name, given, named, ours in told["calls"]:
        keywords = {key: meta(value) for key, value in named.items()}
        try:
            returned = described(getattr(torch.ops.npu, name)(*meta(given), **keywords))
        except RuntimeError as error:
            silent.add(f"{name} has no answer: {str(error).partition('. ')[0].splitlines()[0]}")
            continue
        if returned != ours:
            lines.append(f"{name}({given}, {named})\n  simulated: {ours}\n  torch_npu: {returned}")
    print(*lines, *sorted(silent), sep="\n")
    print(
        f"{len(names)} names, {len(told['schemas'])} schemas, {len(told['calls'])} calls: {len(lines)} differ"
    )
    return len(lines)


def _run(python: Path, code: str, *arguments: Path, **environment: str) -> int:
    """Run code that uses this module in a process of that Python; its exit code."""
    start = f"import sys; from pathlib import Path; sys.path.append({str(Path(__file__).parent)!r})"
    command = [str(python), "-P", "-c", f"{start}; import real_wheel; {code}", *map(str, arguments)]
    return subprocess.run(command, env={**os.environ, **environment}, check=False).returncode


def main() -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="real_wheel.py", description=__doc__.partition("\n")[0])
    for name in ("python", "wheel", "backend"):
        parser.add_argument(name, type=Path)
    given = parser.parse_args()
    if lacking := [tool for tool in ("gcc", "nm", "readelf") if shutil.which(tool) is None]:
        print(f"real_wheel.py: {', '.join(lacking)} not found: install gcc and binutils", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as scratch:
        unpacked, libraries, calls = (Path(scratch) / name for name in ("wheel", "libraries", "calls.json"))
        libraries.mkdir()
        with zipfile.ZipFile(given.wheel) as wheel:
            wheel.extractall(unpacked)
        torch = _said(given.python, "-c", "import torch; print(torch.__path__[0])").strip()
        stand_ins(unpacked / "torch_npu", Path(torch) / "lib", libraries)
        simulation = {
            "PYTHONPATH": f"{given.backend.absolute()}:{ROOT / 'simulator' / 'src'}:{ROOT}",
            "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
            "TORCH_NPU_SIM_WHEEL": str(given.wheel.absolute()),
        }
        real = {"PYTHONPATH": str(unpacked), "LD_LIBRARY_PATH": str(libraries)}
        failed = _run(given.python, "real_wheel.simulate(Path(sys.argv[1]))", calls, **simulation)
        code = "sys.exit(bool(real_wheel.compare(*map(Path, sys.argv[1:]))))"
        return failed or _run(given.python, code, given.backend, calls, **real)


if __name__ == "__main__":
    sys.exit(main())
