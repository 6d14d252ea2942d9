"""Count what type checkers find of the breaks of labelled upgrades, beside syncbot.

usage: python benchmarks/type_checkers.py twenty-first|… [more batches] [--commit C] [--build DIR]

A checker reads the plugin's files that import upstream twice, with the old and with the new release on its
path, and nothing else of the plugin's requirements, as syncbot has nothing else either. What it says on
the new release alone is its finding. A labelled break counts as found where an error names it, as in
``fresh_plugins.py``. For each side the lines that are told are counted as well: both would have to be read.
basedpyright and pyrefly are installed into ``build/type-checkers``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
import venv
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ecosystem import ROOT, Pair, outcomes, read_pairs, state_of
from fresh_plugins import labels, verdict
from plugin_files import folder_of

_HERE = Path(__file__).parent
_PINNED = ("basedpyright==1.40.2", "pyrefly==1.5.0")
# What neither project's own files nor a break of upstream is about.
_ASIDE = {"test", "tests", "docs", "examples", "benchmarks"}


@dataclass(frozen=True, slots=True, order=True)
class Error:
    """One error of a checker: where, and what it says."""

    path: str
    line: int
    text: str


def checker_folder(build: Path) -> Path:
    """The folder of the programs, installed where they are not there."""
    home = build.parent / "type-checkers"
    if not (home / "bin" / "pyrefly").exists():
        venv.create(home, with_pip=True)
        subprocess.run([home / "bin" / "pip", "install", "--quiet", *_PINNED], check=True)
    return home / "bin"


def release(pair: Pair, version: str, build: Path) -> Path:
    """The files of an upstream release, as syncbot keeps them."""
    folder = build / "type-checked" / f"{pair.upstream}-{version}"
    if not folder.exists():
        store = build / "cache" / "releases" / f"{pair.upstream.lower()}-public.git"
        command = ["git", "-C", str(store), "archive", f"v{version}"]
        found = subprocess.run(command, capture_output=True, check=True)
        folder.mkdir(parents=True)
        subprocess.run(["tar", "-x", "-C", str(folder)], input=found.stdout, check=True)
    return folder


def relying(plugin: Path, packages: Sequence[str]) -> list[Path]:
    """The plugin's files that import upstream, without those of its tests and the like."""
    wanted = re.compile(rf"^\s*(?:from|import) (?:{'|'.join(packages)})\b", re.MULTILINE)
    files = (p for p in sorted(plugin.rglob("*.py")) if _ASIDE.isdisjoint(p.relative_to(plugin).parts))
    return [p for p in files if wanted.search(p.read_text(encoding="utf-8", errors="replace"))]


def paths(plugin: Path, upstream: Path) -> list[str]:
    """Where a checker looks for modules."""
    below = (plugin / name for name in ("src", "python"))
    return [str(p) for p in (plugin, *(b for b in below if b.is_dir()), upstream)]


def by_basedpyright(programs: Path, plugin: Path, files: Sequence[Path], upstream: Path) -> Iterator[Error]:
    """The errors of basedpyright in its standard mode."""
    configuration = upstream.parent / "pyright.json"
    settings = {
        "include": [str(f) for f in files], "extraPaths": paths(plugin, upstream), "pythonVersion": "3.12",
        "typeCheckingMode": "standard", "reportMissingImports": "none", "reportMissingModuleSource": "none",
        "venvPath": str(upstream.parent), "venv": "none",
    }  # fmt: skip
    configuration.write_text(json.dumps(settings), encoding="utf-8")
    command = [str(programs / "basedpyright"), "--outputjson", "-p", str(configuration)]
    for found in json.loads(_output(command))["generalDiagnostics"]:
        if found["severity"] == "error":
            yield Error(found["file"], found["range"]["start"]["line"] + 1, found["message"])


def by_pyrefly(programs: Path, plugin: Path, files: Sequence[Path], upstream: Path) -> Iterator[Error]:
    """The errors of pyrefly."""
    configuration = upstream.parent / "pyrefly.toml"
    configuration.write_text(
        f"search-path = {json.dumps(paths(plugin, upstream))}\nskip-interpreter-query = true\n"
        'python-version = "3.12"\n',
        encoding="utf-8",
    )
    command = [str(programs / "pyrefly"), "check", "-c", str(configuration), "--output-format", "json"]
    for found in json.loads(_output([*command, *map(str, files)]))["errors"]:
        if found["name"] not in ("missing-import", "import-error"):
            yield Error(found["path"], found["line"], found["description"])


_CHECKERS: dict[str, Callable[[Path, Path, Sequence[Path], Path], Iterator[Error]]] = {
    "basedpyright": by_basedpyright,
    "pyrefly": by_pyrefly,
}


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=900).stdout


def appeared(checker: str, programs: Path, pair: Pair, build: Path) -> set[Error]:
    """Return the errors of the plugin that a checker reports with the new release, not with the old one."""
    plugin = folder_of(pair.plugin, pair.version, build)
    files = relying(plugin, pair.packages)
    if not files:
        return set()
    old, new = (
        set(_CHECKERS[checker](programs, plugin, files, release(pair, version, build)))
        for version in (pair.old, pair.new)
    )
    return new - old


def main() -> int:
    """Print a row for each upgrade, and the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("batches", nargs="+")
    parser.add_argument("--commit", help="state of syncbot; default: the working tree")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "ecosystem")
    asked = parser.parse_args()
    build = asked.build.resolve()
    known = {id: row for b in asked.batches for id, row in labels(_HERE / "fresh-plugins.tsv", b).items()}
    tables = (_HERE / "ecosystem.tsv", _HERE / "fresh-pairs.tsv")
    pairs = [pair for table in tables for pair in read_pairs(table) if pair.id in known]
    ours = outcomes(pairs, state_of(asked.commit, build), build, os.cpu_count() or 1)
    programs = checker_folder(build)
    found, lines = Counter[str](), Counter[str]()
    seconds: defaultdict[str, float] = defaultdict(float)
    total = 0
    for pair in pairs:
        plugin = folder_of(pair.plugin, pair.version, build)
        visible = [name for name, seen in known[pair.id].items() if seen == "yes"]
        total += len(visible)
        told = ours[pair.id].told
        names = {"syncbot": {n for n in visible if verdict(n, told, plugin) == "breaks"}}
        lines["syncbot"] += len({t.place for t in told if t.verdict == "breaks"})
        seconds["syncbot"] += ours[pair.id].seconds
        for checker in _CHECKERS:
            begun = time.perf_counter()
            errors = appeared(checker, programs, pair, build)
            seconds[checker] += time.perf_counter() - begun
            said = "\n".join(e.text for e in errors)
            names[checker] = {n for n in visible if re.search(rf"\b{re.escape(n)}\b", said)}
            lines[checker] += len({(e.path, e.line) for e in errors})
        alone = sorted(set().union(*(names[c] for c in _CHECKERS)) - names["syncbot"])
        found.update({side: len(several) for side, several in names.items()})
        shown = ", ".join(f"{side} {len(several)}" for side, several in names.items())
        print(f"{pair.id}: {len(visible)} visible; {shown}; by checkers alone: {', '.join(alone) or '-'}")
    for side in ("syncbot", *_CHECKERS):
        told_lines = f"{lines[side]} lines told, {seconds[side]:.0f} s"
        print(f"{side}: {found[side]} of {total} visible breaks named, {told_lines}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
