"""Somebody who has never heard of syncbot, in the sources of a plugin: how long until the first answer.

usage: python benchmarks/newcomer.py WORK [PLUGIN==VERSION ...]

For each plugin of the package index: its source distribution is unpacked, `uvx --from WHEEL syncbot check` is
typed in it, with a wheel built from this checkout, nothing installed and no cache; then the line that the
message ends in is pasted, until a report comes. Printed: minutes of the clock until then, seconds of the
processor, how many lines were typed and how many pasted. The report is kept as WORK/PLUGIN/report.txt, to be
read: what of it is untrue is a person's judgement.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import requests
from pypi_simple import PyPISimple

ROOT = Path(__file__).parents[1]
#: The first three are named by the documents, the others were picked when this was done.
PLUGINS = (
    *("vllm-ascend==0.23.0", "pytest-html==3.2.0", "Flask-RESTful==0.3.9"),
    *("vllm-bnb-plugin==0.0.3", "semblend-vllm-connector==0.2.8", "pytest-randomly==3.12.0"),
)
_MOST_LINES = 3


def unpacked(plugin: str, folder: Path) -> Path:
    """Return the folder of a plugin's sources, downloaded and unpacked, nothing of it run."""
    name, _, version = plugin.partition("==")
    with PyPISimple() as index:
        packages = index.get_project_page(name).packages
        [source] = [p for p in packages if p.version == version and p.package_type == "sdist"]
    archive = folder / source.filename
    archive.write_bytes(requests.get(source.url, timeout=60).content)
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    [made] = [path for path in folder.iterdir() if path.is_dir()]
    return made


def typed(words: list[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Return what uvx says to some words."""
    uvx = [sys.executable, "-m", "uv", "tool", "run", "--no-config", *words]
    return subprocess.run(uvx, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def one(plugin: str, wheel: Path, work: Path) -> tuple[float, float, int, str]:
    """Return minutes, seconds of the processor, pasted lines and the last line of the answer."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    sources = unpacked(plugin, work)
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment = kept | {
        "SYNCBOT_CACHE": str(work / "cache"),
        "UV_TOOL_DIR": str(work / "tools"),
        "UV_CACHE_DIR": str(work / "uv"),
    }
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    line, lines = "syncbot check", 0
    said = ""
    while lines <= _MOST_LINES:
        done = typed(["--from", str(wheel), *line.split()], sources, environment)
        said += f"$ {line}\n{done.stdout}{done.stderr}"
        if done.returncode in (0, 1):
            break
        _, _, pasted = done.stderr.strip().rpartition(": ")
        if not pasted.startswith("syncbot check"):
            break
        line, lines = pasted.partition(", or ")[0], lines + 1
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    (work / "report.txt").write_text(said, encoding="utf-8")
    return (time.monotonic() - began) / 60, used, lines, said.strip().splitlines()[-1]


def main() -> None:
    """Print a row for each plugin."""
    work, plugins = Path(sys.argv[1]).resolve(), sys.argv[2:] or PLUGINS
    shutil.rmtree(work / "wheel", ignore_errors=True)
    build = [sys.executable, "-m", "uv", "build", "--no-config", "--quiet", "--out-dir", str(work / "wheel")]
    subprocess.run([*build, str(ROOT)], check=True)
    [wheel] = (work / "wheel").glob("*.whl")
    print("plugin                          minutes  processor  typed  pasted  last line")
    minutes = []
    for plugin in plugins:
        clock, used, lines, last = one(plugin, wheel, work / plugin.partition("==")[0])
        minutes.append(clock)
        print(f"{plugin:30} {clock:8.1f} {used:10.0f} {1:6} {lines:7}  {last}", flush=True)
    print(f"median: {statistics.median(minutes):.1f} minutes")


if __name__ == "__main__":
    main()
