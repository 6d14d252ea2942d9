"""The code that the benchmarks which change upstream themselves share: a repository with upstream as it is
and as it is changed, ``check`` from the one to the other, and which lines of the plugin it reports.

Nobody has to label anything: a line that asks for what was changed is broken, if the object is upstream's.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name

from ecosystem import ROOT, Pair, Told, configuration_of, read_pairs, state_of, told_of
from plugin_files import laid_out

from syncbot.contracts.source_files import read_backend
from syncbot.contracts.sources import SourceFile
from syncbot.upstream.release_choice import These
from syncbot.upstream.releases import Releases

_HERE = Path(__file__).parent
_KNOWN = ROOT / "syncbot" / "contracts" / "attributes"
_OF_OTHERS = ("tensor_attributes.txt", "torch_module_attributes.txt")
_TYPES = (object, str, bytes, int, float, list, tuple, dict, set, frozenset, type, Exception)
_OF_PYTHON = (
    *("io.TextIOWrapper", "argparse", "argparse.ArgumentParser", "asyncio", "asyncio.Task", "asyncio.Queue"),
    *("collections", "collections.deque", "collections.Counter", "concurrent.futures", "contextlib", "enum"),
    *("concurrent.futures.Future", "concurrent.futures.ThreadPoolExecutor", "datetime.datetime", "functools"),
    *("json", "logging", "logging.Logger", "multiprocessing.Process", "os", "pathlib.Path", "queue.Queue"),
    *("random", "re", "re.Pattern", "re.Match", "shutil", "socket.socket", "subprocess", "subprocess.Popen"),
    *("sys", "threading", "threading.Thread", "threading.Event", "_thread.LockType", "time"),
)
_VERDICTS = ("breaks", "at-risk", "drift", "")


@dataclass(frozen=True, slots=True, order=True)
class Asked:
    """A place of the plugin that meets a name: it asks ``receiver`` for it (an attribute, a call, a keyword
    of a call), or ``receiver`` is the class that has a method of that name."""

    kind: str
    name: str
    file: str
    line: int
    receiver: str

    @property
    def last(self) -> str:
        """The last name of the receiver."""
        return self.receiver.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Change:
    """The places of a plugin that a change of upstream breaks, the ``names`` that it is about, and the text
    of a file after it."""

    asked: tuple[Asked, ...]
    names: frozenset[str]
    text: Callable[[str], str]


def trees(folder: Path) -> Iterator[tuple[str, ast.Module]]:
    """The Python files below a folder that this Python can read, by their path in it."""
    for file in sorted(folder.rglob("*.py")):
        try:
            yield file.relative_to(folder).as_posix(), ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            continue


def files_of(plugin: Path) -> list[SourceFile]:
    """The files of a plugin that are read, but its tests."""
    return [file for file in read_backend(plugin, (), ("tests",)).files if not file.is_test]


def names_of_others() -> set[str]:
    """Return the names that Python's own objects, tensors and modules of torch have."""
    found: set[str] = set()
    for kind in (*_TYPES, *map(resolve_name, _OF_PYTHON)):
        found |= set(dir(kind))
    for name in _OF_OTHERS:
        found |= set((_KNOWN / name).read_text(encoding="utf-8").split())
    return found


def asks_version(node: ast.AST) -> bool:
    """Whether a statement or expression holds what runs with some versions alone."""
    if isinstance(node, ast.If | ast.IfExp):
        return "version" in ast.unparse(node.test)
    return isinstance(node, ast.BoolOp) and "version" in ast.unparse(node)


def imported(tree: ast.Module) -> dict[str, str]:
    """The names that a module imports anywhere, each with the first part of where it is from; that of a
    relative import is empty."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {(a.asname or a.name).split(".")[0]: a.name.split(".")[0] for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = "" if node.level else (node.module or "").split(".")[0]
            found |= {a.asname or a.name: module for a in node.names}
    return found


def first_name(node: ast.expr) -> str:
    """The name that a chain of attributes, calls and indexes begins with."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def repository(old: Path, packages: Iterable[str], change: Callable[[str], str], folder: Path) -> None:
    """A git repository with upstream as it is, tag ``old``, and with each file changed, tag ``new``."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for package in packages:
        shutil.copytree(old / package, folder / package)
    git = ("git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run([*git, "init", "--quiet"], check=True)
    for tag in ("old", "new"):
        subprocess.run([*git, "add", "--all"], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", tag], check=True)
        subprocess.run([*git, "tag", tag], check=True)
        if tag == "old":
            files = sorted(folder.rglob("*.py"))
            with ProcessPoolExecutor() as pool:
                list(pool.map(_rewrite, files, [change] * len(files), chunksize=16))


def _rewrite(file: Path, change: Callable[[str], str]) -> None:
    text = file.read_text(encoding="utf-8", errors="surrogateescape")
    file.write_text(change(text), encoding="utf-8", errors="surrogateescape")


def checked(pair: Pair, plugin: Path, upstream: Path, code: Path, out: Path) -> tuple[Told, ...]:
    """Return ``check``'s findings for the step from one tag to the other; from ``out`` where it exists."""
    if out.exists():
        return tuple(told_of(json.loads(out.read_text(encoding="utf-8"))))
    configuration, cache = out.with_suffix(".toml"), upstream.with_name("cache")
    # Without the line that says for which versions the plugin is: these have no number.
    lines = configuration_of(pair).splitlines()
    configuration.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    command = [
        sys.executable, "-m", "syncbot", "check", "--backend", str(plugin), "--config", str(configuration),
        "--upstream", str(upstream), "--from", "old", "--to", "new", "--engine", "contracts", "--no-prose",
        "--fail-on", "never", "--format", "json", "--output", str(out),
    ]  # fmt: skip
    environment = {**os.environ, "SYNCBOT_CACHE": str(cache), "PYTHONPATH": str(code)}
    subprocess.run(command, cwd=code, env=environment, check=True, stdout=subprocess.DEVNULL)
    return tuple(told_of(json.loads(out.read_text(encoding="utf-8"))))


def verdicts(asked: Iterable[Asked], told: Iterable[Told]) -> dict[Asked, str]:
    """The worst verdict that names what is asked at its place; empty where nothing is told."""
    at: dict[str, list[Told]] = defaultdict(list)
    for each in told:
        at[each.place].append(each)
    return {
        each: min(
            (t.verdict for t in at[f"{each.file}:{each.line}"] if re.search(rf"\b{each.name}\b", t.message)),
            key=_VERDICTS.index,
            default="",
        )
        for each in asked
    }


def table(found: Mapping[Asked, str], show: int, receivers: frozenset[str]) -> Iterator[str]:
    """How often each verdict is told, by what is asked; then what is not told as ``breaks``."""
    for kind in sorted({each.kind for each in found}):
        counts = Counter(verdict for each, verdict in found.items() if each.kind == kind)
        yield f"{kind}s: " + ", ".join(f"{counts[v]} {v or 'not told'}" for v in _VERDICTS)
    missed: dict[tuple[str, str, str], list[Asked]] = defaultdict(list)
    for each, verdict in sorted(found.items()):
        if verdict != "breaks":
            missed[verdict or "not told", each.kind, " ".join(each.receiver.split())].append(each)
    for key, places in sorted(missed.items(), key=lambda item: -len(item[1]))[:show]:
        first = places[0]
        yield f"{len(places):5} {' '.join(key)[:90]}: {first.file}:{first.line} {first.name}"
    for (verdict, kind, receiver), places in missed.items():
        if receiver in receivers:
            yield from (f"{verdict} {kind} {receiver}: {p.file}:{p.line} {p.name}" for p in places)


def compared(doc: str | None, prepare: Callable[[Path, Path, Sequence[str]], Change]) -> int:
    """The command of such a benchmark: ``prepare`` says what to change, given the folders of the plugin and
    of upstream, and the packages of upstream. Returns the exit code."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=doc, formatter_class=raw)
    parser.add_argument("pair")
    parser.add_argument("--commit", help="commit of syncbot; default: the working tree")
    parser.add_argument("--show", type=int, default=40)
    parser.add_argument("--receiver", action="append", default=[])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "ecosystem")
    given = parser.parse_args()
    build = given.build.resolve()
    pairs = {p.id: p for name in ("ecosystem.tsv", "fresh-pairs.tsv") for p in read_pairs(_HERE / name)}
    pair = pairs[given.pair]
    plugin = laid_out(pair.plugin, pair.version, pair.sha256, build)
    work = build / Path(sys.argv[0]).stem / pair.id
    work.mkdir(parents=True, exist_ok=True)
    old = _release(pair, build, work)
    change = prepare(plugin, old, pair.packages)
    state = state_of(given.commit, build)
    digest = hashlib.sha256(" ".join(sorted(change.names)).encode()).hexdigest()[:16]
    out = work / f"{state.digest}-{digest}.json"
    if not out.exists():
        repository(old, pair.packages, change.text, work / "upstream")
    told = checked(pair, plugin, work / "upstream", state.folder, out)
    found = verdicts(change.asked, told)
    print(f"{len(change.names)} names changed, asked for in {len(found)} places")
    print("\n".join(table(found, given.show, frozenset(given.receiver))))
    return 0


def _release(pair: Pair, build: Path, work: Path) -> Path:
    folder = work / f"{pair.upstream}-{pair.old}"
    if not folder.exists():
        bare = Releases(pair.upstream, build / "cache").history(These((pair.old,)))
        folder.mkdir()
        tag = subprocess.run(
            ["git", "-C", str(bare), "archive", f"v{pair.old}"], check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", str(folder)], input=tag.stdout, check=True)
    return folder
