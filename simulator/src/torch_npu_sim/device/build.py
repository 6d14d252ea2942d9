"""Compiles the device for the torch and the Python of this process, once a machine.

A wheel may ship the compiled file instead (``device/compiled``), and the environment may name a folder that has it: each
names it as the cache does. ``python -m torch_npu_sim.device FOLDER`` compiles it into such a folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from torch_npu_sim.settings import read_settings, variable

MODULE = "torch_npu_sim_device"
SOURCES = Path(__file__).parent / "csrc"
SHIPPED = Path(__file__).parent / "compiled"
FLAGS = ("-std=c++20", "-O1", "-fPIC", "-fvisibility=hidden", "-w", f"-DTORCH_EXTENSION_NAME={MODULE}")
LIBRARIES = ("torch_python", "torch", "torch_cpu", "c10")


class BuildError(RuntimeError):
    """The device could not be compiled; the message says what is missing in one line."""


def extension() -> Path:
    """Return the compiled device: shipped, made before, cached or compiled now, which is said on the standard error.
    Raise BuildError where that cannot be."""
    name, settings = file_name(), read_settings()
    for folder in (SHIPPED, settings.compiled, settings.cache):
        if folder is not None and (folder / name).exists():
            return folder / name
    cache = settings.cache
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _lock(cache / f"{name}.lock"):
            if not (cache / name).exists():
                _tell(cache / name)
                compile_to(cache / name)
    except OSError as error:
        raise BuildError(f"torch-npu-sim keeps its device in {variable('cache')}: {error}") from None
    return cache / name


def file_name() -> str:
    """Return the file's name: of the sources, the flags, torch and Python's ABI."""
    import torch

    digest = hashlib.sha256(repr(FLAGS).encode())
    for source in sorted(SOURCES.iterdir()):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return f"{MODULE}-{digest.hexdigest()[:12]}-torch{torch.__version__}.{sysconfig.get_config_var('SOABI')}.so"


def compile_into(folder: Path) -> None:
    """Compile the device for this process's torch into a folder, unless it is there; BuildError as above."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / file_name()).exists():
        compile_to(folder / file_name())


def _tell(target: Path) -> None:
    """Say that whoever imports torch has to wait, about how long, and for what."""
    import torch

    said = f"compiles its device for torch {torch.__version__}, once, in one to three minutes, into {target}"
    print(f"torch-npu-sim: {said}", file=sys.stderr, flush=True)


def compile_to(target: Path) -> None:
    """Compile the sources into a file; BuildError without a compiler, or with its first error."""
    import torch

    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++") or shutil.which("c++")
    if not compiler:
        raise BuildError(
            "torch-npu-sim has no compiled device for this torch and found no C++ compiler: install g++ 11 or newer, "
            "name one in CXX, or install the simulator's wheel for this version of torch"
        )
    home = Path(torch.__file__).parent
    folders = (home / "include", home / "include/torch/csrc/api/include", sysconfig.get_paths()["include"])
    common = (*FLAGS, f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}", *(f"-I{f}" for f in folders))
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        objects = {source: Path(scratch, f"{source.stem}.o") for source in sorted(SOURCES.glob("*.cpp"))}
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            commands = [(compiler, *common, "-c", str(s), "-o", str(o)) for s, o in objects.items()]
            list(pool.map(_run, commands))
        made = Path(scratch, target.name)
        libraries = (f"-L{home / 'lib'}", *(f"-l{name}" for name in LIBRARIES))
        _run((compiler, "-shared", "-s", *map(str, objects.values()), "-o", str(made), *libraries))
        made.replace(target)


def _run(command: tuple[str, ...]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error: " in line), done.stderr.strip()[-500:])
        raise BuildError(f"torch-npu-sim's device does not compile against this torch: {first}")


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
