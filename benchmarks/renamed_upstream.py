"""Rename in upstream what a plugin asks of it, and say which lines of the plugin are not told.

usage: python benchmarks/renamed_upstream.py PAIR [--commit C] [--show N] [--receiver TEXT]... [--build DIR]

PAIR is a row of ``ecosystem.tsv`` or ``fresh-pairs.tsv``; only its plugin and its older release are used.
Every attribute, method and parameter of upstream that the plugin asks for by name is renamed in all of
upstream, and ``check`` goes from the one to the other: each line that asks is broken, if the object is
upstream's. Names that the plugin, Python's own types, tensors or modules of torch have as well are left
out, as are those of modules, classes and functions of a module. Nobody has to label anything; whether an
object is upstream's is for the reader to say. So what is not told is listed by the expression that is
asked, most first: one cause is one line. ``--receiver`` lists each place of these expressions.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import hashlib
import json
import keyword
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name

from ecosystem import ROOT, Pair, Told, configuration_of, read_pairs, state_of, told_of
from packaging.version import Version
from plugin_files import laid_out

from syncbot.contracts.source_files import read_backend
from syncbot.upstream.releases import import_releases

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
_SHORTEST = 4
_NEW = "_renamed"
_VERDICTS = ("breaks", "at-risk", "drift", "")


@dataclass(frozen=True, slots=True, order=True)
class Asked:
    """A place of the plugin that asks for a name: an attribute, or a keyword of a call, of ``receiver``."""

    kind: str
    name: str
    file: str
    line: int
    receiver: str

    @property
    def last(self) -> str:
        """The last name of the receiver."""
        return self.receiver.rpartition(".")[2]


def trees(folder: Path) -> Iterator[tuple[str, ast.Module]]:
    """The Python files below a folder that this Python can read, by their path in it."""
    for file in sorted(folder.rglob("*.py")):
        try:
            yield file.relative_to(folder).as_posix(), ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            continue


def asked_in(plugin: Path, packages: Iterable[str]) -> Iterator[Asked]:
    """What the files of a plugin that are read ask for, but its tests and what a version decides."""
    files = [file for file in read_backend(plugin, (), ("tests",)).files if not file.is_test]
    own = {file.module.partition(".")[0] for file in files}
    for file in files:
        tree = ast.parse(file.text)
        foreign = {name for name, root in imported(tree).items() if root not in {*packages, *own, ""}}
        gated = {id(inner) for node in ast.walk(tree) if _asks_version(node) for inner in ast.walk(node)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute | ast.Call) or _first(node) in foreign or id(node) in gated:
                continue
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                yield Asked("attribute", node.attr, file.path, node.lineno, ast.unparse(node.value))
            elif isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                for each in node.keywords:
                    if each.arg is not None:
                        yield Asked("keyword", each.arg, file.path, node.lineno, called)


def _asks_version(node: ast.AST) -> bool:
    """Whether a statement or expression holds what runs with some versions alone."""
    if isinstance(node, ast.If | ast.IfExp):
        return "version" in ast.unparse(node.test)
    return isinstance(node, ast.BoolOp) and "version" in ast.unparse(node)


def imported(tree: ast.Module) -> dict[str, str]:
    """The names that a module imports anywhere, each with the first part of where it is from; that of a
    relative import is empty."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {(a.asname or a.name).split(".")[0]: a.name.split(".")[0] for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = "" if node.level else (node.module or "").split(".")[0]
            found |= {a.asname or a.name: module for a in node.names}
    return found


def _first(node: ast.expr) -> str:
    """The name that a chain of attributes, calls and indexes begins with."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def members(tree: ast.Module) -> set[str]:
    """The methods, fields and attributes that the classes of a module define."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            found |= {n.name for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
            found |= {
                n.target.id
                for n in node.body
                if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
            }
            found |= {
                t.id
                for n in node.body
                if isinstance(n, ast.Assign)
                for t in n.targets
                if isinstance(t, ast.Name)
            }
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
    return found


def parameters(tree: ast.Module) -> set[str]:
    """The parameters of the functions of a module."""
    return {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}


def spoken(tree: ast.Module) -> set[str]:
    """The names of what a module defines or imports as a whole."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {part for alias in node.names for part in alias.name.split(".")}
            found |= set((getattr(node, "module", None) or "").split("."))
    return found


def renamed_names(asked: Iterable[Asked], plugin: Path, upstream: Path) -> dict[str, set[str]]:
    """The names to rename, by what they are asked as."""
    own: set[str] = set()
    for _, tree in trees(plugin):
        own |= members(tree) | parameters(tree) | spoken(tree)
    defined: dict[str, set[str]] = {"attribute": set(), "keyword": set()}
    left: set[str] = own | set(dir(builtins)) | set(keyword.kwlist)
    for kind in (*_TYPES, *map(resolve_name, _OF_PYTHON)):
        left |= set(dir(kind))
    for name in _OF_OTHERS:
        left |= set((_KNOWN / name).read_text(encoding="utf-8").split())
    for file, tree in trees(upstream):
        defined["attribute"] |= members(tree)
        defined["keyword"] |= parameters(tree)
        left |= spoken(tree) | set(file.removesuffix(".py").split("/"))
    by_kind: dict[str, set[str]] = defaultdict(set)
    for each in asked:
        if each.name in defined[each.kind] - left and len(each.name) >= _SHORTEST:
            by_kind[each.kind].add(each.name)
    return by_kind


def repository(old: Path, packages: Iterable[str], names: Iterable[str], folder: Path) -> None:
    """A git repository with upstream as it is, tag ``old``, and with the names renamed, tag ``new``."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for package in packages:
        shutil.copytree(old / package, folder / package)
    git = ("git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org")
    words = re.compile(rf"\b({'|'.join(sorted(names))})\b")
    subprocess.run([*git, "init", "--quiet"], check=True)
    for tag in ("old", "new"):
        subprocess.run([*git, "add", "--all"], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", tag], check=True)
        subprocess.run([*git, "tag", tag], check=True)
        for file in folder.rglob("*.py"):
            text = file.read_text(encoding="utf-8", errors="surrogateescape")
            file.write_text(words.sub(rf"\1{_NEW}", text), encoding="utf-8", errors="surrogateescape")


def checked(pair: Pair, plugin: Path, upstream: Path, code: Path, out: Path) -> tuple[Told, ...]:
    """What ``check`` tells of the plugin for the step from one tag to the other; from ``out`` where it is."""
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
    for kind in ("attribute", "keyword"):
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


def main() -> int:
    """Rename, check, and print what is not told."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
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
    work = build / "renamed" / pair.id
    work.mkdir(parents=True, exist_ok=True)
    old = _release(pair, build, work)
    asked = tuple(asked_in(plugin, pair.packages))
    names = renamed_names(asked, plugin, old)
    renamed = sorted(set().union(*names.values()))
    state = state_of(given.commit, build)
    out = work / f"{state.digest}-{hashlib.sha256(' '.join(renamed).encode()).hexdigest()[:16]}.json"
    if not out.exists():
        repository(old, pair.packages, renamed, work / "upstream")
    told = checked(pair, plugin, work / "upstream", state.folder, out)
    # A call of what is renamed is told by that name.
    wanted = [a for a in asked if a.name in names[a.kind] and not (a.kind == "keyword" and a.last in renamed)]
    found = verdicts(wanted, told)
    print(f"{len(renamed)} names renamed, asked for in {len(found)} places")
    print("\n".join(table(found, given.show, frozenset(given.receiver))))
    return 0


def _release(pair: Pair, build: Path, work: Path) -> Path:
    folder = work / f"{pair.upstream}-{pair.old}"
    if not folder.exists():
        bare = import_releases(pair.upstream, build / "cache", [Version(pair.old)])
        folder.mkdir()
        tag = subprocess.run(
            ["git", "-C", str(bare), "archive", f"v{pair.old}"], check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", str(folder)], input=tag.stdout, check=True)
    return folder


if __name__ == "__main__":
    sys.exit(main())
