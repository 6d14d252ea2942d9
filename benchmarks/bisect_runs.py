"""Count the runs of ``syncbot bisect`` and of ``git bisect`` over breaks that really happened.

usage: python benchmarks/bisect_runs.py run TRUTH --upstream REPO --backend-repository REPO --results DIR
                                       [--kind KIND]... [--only ID]...
       python benchmarks/bisect_runs.py check SYMBOL [TREE]      the command that is run on each commit
       python benchmarks/bisect_runs.py table --results DIR

Each line of TRUTH is one range as for truth.py, with its ``breaks``: ``sha``, ``kind``, ``symbols``,
``files``. A break is taken if its kind is wanted and one of its symbols is there before the range and not
after it. The command looks for the symbol in the files of the tree, in a Python process of its own, without
importing anything. A case whose result exists is not run again.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

KINDS = ("import_moved", "symbol_removed", "symbol_renamed", "attr_moved_or_renamed", "attr_removed")
_VARIABLE = "BENCHMARK_SYMBOL"
_TREE = "SYNCBOT_UPSTREAM"
# What the search is told besides the range: nothing, the failing file, the missing name.
VARIANTS = ("blind", "test", "named")


def exists(tree: Path, symbol: str) -> bool:
    """Whether importing the symbol from a tree of files would find it, as far as its text tells."""
    parts = symbol.split(".")
    for length in range(len(parts), 0, -1):
        base = tree.joinpath(*parts[:length])
        file = base / "__init__.py" if (base / "__init__.py").exists() else base.with_suffix(".py")
        if file.exists():
            return _has(ast.parse(file.read_bytes()).body, parts[length:], base, tree)
    return False


def _has(body: Sequence[ast.stmt], names: Sequence[str], base: Path, tree: Path) -> bool:
    if not names:
        return True
    name, *rest = names
    for node in (inner for statement in body for inner in ast.walk(statement)):
        match node:
            case ast.ClassDef(name=found) if found == name:
                return _has(node.body, rest, base, tree)
            case ast.FunctionDef(name=found) | ast.AsyncFunctionDef(name=found) if found == name:
                return True
            case ast.Name(id=found, ctx=ast.Store()) | ast.Attribute(attr=found, ctx=ast.Store()):
                if found == name:
                    return True
            case ast.Import() | ast.ImportFrom():
                if any((alias.asname or alias.name) == name for alias in node.names):
                    return True
            case _:
                pass
    return not rest and any((base / name / "__init__.py", base / f"{name}.py")[i].exists() for i in (0, 1))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    options = _parser().parse_args(arguments)
    return int(options.handler(options))


def _check(options: argparse.Namespace) -> int:
    symbol = options.symbol or os.environ[_VARIABLE]
    counter = os.environ.get("BENCHMARK_COUNTER")
    if counter:
        with open(counter, "a", encoding="utf-8") as file:
            file.write("run\n")
    if exists(Path(options.tree or os.environ[_TREE]), symbol):
        return 0
    print(f"ImportError: there is no {symbol if options.symbol else 'such name'}")
    return 1


def _run(options: argparse.Namespace) -> int:
    results = options.results.absolute()
    results.mkdir(parents=True, exist_ok=True)
    plain = _plain_clone(options.upstream.absolute(), results / "plain")
    for record, number, broken in _cases(options):
        file = results / f"{record['id']}-{broken['pr']}.json"
        if file.exists():
            continue
        symbol = _fitting(plain, record, broken)
        if symbol is None:
            print(f"{file.stem}: no symbol is there before and gone after ({number})", flush=True)
            continue
        backend = _checked_out(options, record, results)
        case: dict[str, Any] = {"case": file.stem, "kind": broken["kind"], "symbol": symbol}
        case |= {"sha": broken["sha"], "commits": record["commits"], "runs": {}, "found": {}, "seconds": {}}
        _note(case, "git", *_plain(plain, record, symbol, results))
        for variant in VARIANTS:
            _note(case, variant, *_ours(options, record, broken, symbol, backend, variant))
        file.write_text(json.dumps(case, indent=1))
        print(f"{file.stem:<28} {record['commits']:4} commits  {case['runs']}", flush=True)
    return _table(options)


def _note(case: dict[str, Any], who: str, runs: int, found: str, seconds: float) -> None:
    case["runs"][who], case["found"][who], case["seconds"][who] = runs, found, round(seconds, 1)


def _cases(options: argparse.Namespace) -> Iterator[tuple[dict[str, Any], int, dict[str, Any]]]:
    wanted = tuple(options.kind) or KINDS
    for line in options.truth.read_text().splitlines():
        record = json.loads(line)
        if not options.only or record["id"] in options.only:
            for number, broken in enumerate(record["breaks"]):
                if broken["kind"] in wanted:
                    yield record, number, broken


def _fitting(plain: Path, record: dict[str, Any], broken: dict[str, Any]) -> str | None:
    there: dict[str, set[str]] = {}
    for end in ("upstream_old", "upstream_new"):
        _git(plain, "checkout", "--quiet", "--force", record[end])
        there[end] = {symbol for symbol in broken["symbols"] if exists(plain, symbol)}
    gone = there["upstream_old"] - there["upstream_new"]
    return next((symbol for symbol in broken["symbols"] if symbol in gone), None)


def _plain(plain: Path, record: dict[str, Any], symbol: str, results: Path) -> tuple[int, str, float]:
    """``git bisect run`` itself; the runs, what it found, and the seconds."""
    counter = results / "counter"
    counter.unlink(missing_ok=True)
    start = time.monotonic()
    _git(plain, "bisect", "start", record["upstream_new"], record["upstream_old"])
    command = [sys.executable, str(Path(__file__).absolute()), "check", symbol, str(plain)]
    _git(plain, "bisect", "run", *command, BENCHMARK_COUNTER=str(counter))
    found = _git(plain, "rev-parse", "refs/bisect/bad")
    seconds = time.monotonic() - start
    _git(plain, "bisect", "reset")
    return len(counter.read_text().splitlines()), found, seconds


def _ours(
    options: argparse.Namespace,
    record: dict[str, Any],
    broken: dict[str, Any],
    symbol: str,
    backend: Path,
    variant: str,
) -> tuple[int, str, float]:
    own = [sys.executable, str(Path(__file__).absolute()), "check"]
    line = [sys.executable, "-m", "syncbot", "bisect", "--restart", "--format", "json"]
    line += ["--from", record["upstream_old"], "--to", record["upstream_new"]]
    line += ["--upstream", str(options.upstream.absolute()), "--backend", str(backend)]
    test = next((backend / name for name in broken["files"] if (backend / name).is_file()), None)
    if variant != "blind" and test is not None:
        line += ["--test", str(test)]
    start = time.monotonic()
    done = subprocess.run(
        [*line, "--", *own, *([symbol] if variant == "named" else [])],
        capture_output=True, text=True, check=False, env=os.environ | {_VARIABLE: symbol},
    )  # fmt: skip
    seconds = time.monotonic() - start
    if done.returncode != 1:
        raise SystemExit(f"{' '.join(line)}: {done.stderr}")
    told = json.loads(done.stdout)
    commits = [commit["sha"] for answer in told["answers"] for commit in answer["commits"]]
    return len(told["runs"]), ",".join(commits), seconds


def _table(options: argparse.Namespace) -> int:
    cases = [json.loads(file.read_text()) for file in sorted(options.results.glob("*.json"))]
    who = ("git", *VARIANTS)
    print(f"{'case':<28} {'commits':>7} " + " ".join(f"{name:>6}" for name in who))
    for case in cases:
        runs = " ".join(f"{case['runs'][name]:>6}" for name in who)
        wrong = [name for name in who if case["found"][name] != case["found"]["git"]]
        print(f"{case['case']:<28} {case['commits']:>7} {runs}" + (f"  differs: {wrong}" if wrong else ""))
    if cases:
        means = " ".join(f"{sum(c['runs'][name] for c in cases) / len(cases):6.1f}" for name in who)
        print(f"{'mean of ' + str(len(cases)):<28} {'':>7} {means}")
    return 0


def _plain_clone(upstream: Path, folder: Path) -> Path:
    if not folder.exists():
        unfinished = folder.with_name("plain.new")
        shutil.rmtree(unfinished, ignore_errors=True)
        line = ["git", "clone", "--quiet", "--shared", "--no-checkout", str(upstream), str(unfinished)]
        subprocess.run(line, check=True)
        # Only what is looked at, so that a partial copy of the history is enough.
        _git(unfinished, "sparse-checkout", "set", "--no-cone", "*.py")
        unfinished.rename(folder)
    return folder


def _checked_out(options: argparse.Namespace, record: dict[str, Any], results: Path) -> Path:
    from truth import check_out

    from syncbot.upstream.git_repository import GitRepository

    folder: Path = results / "checkouts" / record["backend_parent"][:12]
    with GitRepository(options.backend_repository) as repository:
        check_out(repository, record["backend_parent"], folder)
    return folder


def _git(folder: Path, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True,
        env=os.environ | environment,
    )  # fmt: skip
    return done.stdout.strip()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bisect_runs.py", description="Count the runs of a search.")
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("run", help="search for all breaks of a truth file, in both ways")
    run.add_argument("truth", type=Path)
    run.add_argument("--upstream", type=Path, required=True, help="git repository of the upstream")
    run.add_argument("--backend-repository", type=Path, required=True, help="git repository of the backend")
    run.add_argument("--results", type=Path, required=True, help="folder for results and checkouts")
    run.add_argument("--kind", action="append", default=[], help="only breaks of this kind")
    run.add_argument("--only", action="append", default=[], metavar="ID")
    run.set_defaults(handler=_run)
    check = commands.add_parser("check", help="exit with 1 if a tree lacks a symbol")
    check.add_argument("symbol", nargs="?", help=f"dotted name; else that of ${_VARIABLE}")
    check.add_argument("tree", nargs="?", help=f"folder; else that of ${_TREE}")
    check.set_defaults(handler=_check)
    table = commands.add_parser("table", help="the results so far")
    table.add_argument("--results", type=Path, required=True)
    table.set_defaults(handler=_table)
    return parser


if __name__ == "__main__":
    sys.exit(main())
