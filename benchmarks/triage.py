"""Whether triage finds the commits that really broke a backend, from how its statements really fail.

usage: python benchmarks/triage.py TRUTH --upstream REPO --backend-repository REPO --work DIR
                                   [--results DIR] [--only ID]... [--verbose]

For each break of TRUTH (as for truth.py; a break has ``sha``, ``symbols`` and ``files``), statements of the
backend that use its symbols are run on the upstream trees before and after, as triage_symptoms.py does it:
imports, calls with as many arguments as the backend passes, overrides called as upstream's callers call them,
attributes read, subclasses made. A break counts where one of them works before and fails after; the others
show nothing that can be run without a device and the packages of their time. The tracebacks are all that
triage gets, beside the range. With ``--results`` (of truth.py) the impacts are read from there instead of
being analysed anew.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from truth import check_out

from syncbot import config as configuration
from syncbot.impact.analysis import Analysis, analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.model import Impact
from syncbot.impact.session import backend_of, opened
from syncbot.report.from_json import parse
from syncbot.triage.diagnosis import Diagnosis
from syncbot.triage.folded_failures import causes, folded
from syncbot.triage.guilty_commits import diagnosed
from syncbot.triage.process_streams import parsed
from syncbot.triage.searched_range import SearchedRange
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import Span, between
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.opening import open_upstream

_BINDING = re.compile(r"got an unexpected keyword|missing \d+ required|takes .* but|got multiple values")
_MOST = 40
Request = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the backend or of upstream: its place on disk and its syntax tree."""

    path: str
    tree: ast.Module


def sources(root: Path, paths: Sequence[str]) -> Iterator[Source]:
    """The files that parse."""
    for path in paths:
        try:
            yield Source(str(root / path), ast.parse((root / path).read_bytes()))
        except (OSError, SyntaxError, ValueError):
            continue


def last(node: ast.expr) -> str:
    """The last name of a dotted expression."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def arguments(call: ast.Call) -> str:
    """The arguments of a call with stand-ins for their values; ``*`` and ``**`` are left out."""
    plain = ["_stub" for a in call.args if not isinstance(a, ast.Starred)]
    return ", ".join([*plain, *(f"{k.arg}=_stub" for k in call.keywords if k.arg)])


def split(site: Path, dotted: str) -> tuple[str, str] | None:
    """Module and name within it of a dotted name, None where the tree has no such module."""
    parts = dotted.split(".")
    for length in range(len(parts) - 1, 0, -1):
        stem = site.joinpath(*parts[:length])
        if stem.with_suffix(".py").is_file() or (stem / "__init__.py").is_file():
            return ".".join(parts[:length]), ".".join(parts[length:])
    return None


def imports(source: Source, symbols: Sequence[str], packages: Sequence[str]) -> Iterator[Request]:
    """The imports of a file that name one of the symbols."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        if names[0].partition(".")[0] in packages and any(_touch(n, s) for n in names for s in symbols):
            yield {"kind": "import", "file": source.path, "line": node.lineno, "code": ast.unparse(node)}


def _touch(name: str, symbol: str) -> bool:
    return name == symbol or symbol.startswith(f"{name}.") or name.startswith(f"{symbol}.")


def calls(source: Source, site: Path, symbol: str) -> Iterator[Request]:
    """The calls of a file to a symbol, and those to the base's method where it is overridden."""
    found = split(site, symbol)
    if found is None:
        return
    module, inside = found
    names = inside.split(".")
    target = names[-2] if names[-1] == "__init__" and len(names) > 1 else names[-1]
    setup = (
        "import inspect\n"
        "if inspect.isclass(_class): _class = _class.__init__\n"
        "_first = next(iter(inspect.signature(_class).parameters), '')\n"
        "_self = (_stub,) if _first == 'self' else ()\n"
    )
    for owner, function, node in _with_class(source.tree):
        if not isinstance(node, ast.Call):
            continue
        is_super = (
            isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Call)
            and last(node.func.value.func) == "super"
        )
        base = owner is not None and len(names) > 1 and any(last(b) == names[-2] for b in owner.bases)
        if (last(node.func) == target and not is_super) or (
            is_super and base and last(node.func) == names[-1]
        ):
            yield {
                "kind": "call", "file": source.path, "line": node.lineno, "symbol": f"{module}:{inside}",
                "setup": setup, "code": f"_class(*_self, {arguments(node)})", "function": function,
            }  # fmt: skip


def overrides(source: Source, upstream: Sequence[Source], symbol: str) -> Iterator[Request]:
    """Upstream's calls of a method that a class of this file defines."""
    method = symbol.rpartition(".")[2]
    if method.startswith("__"):
        return
    for owner, _, node in _with_class(source.tree):
        if owner is None or not isinstance(node, ast.FunctionDef) or node.name != method:
            continue
        kept = [d for d in node.decorator_list if last(d) in ("staticmethod", "classmethod")]
        plain = ast.parse(f"def {method}(): pass").body[0]
        assert isinstance(plain, ast.FunctionDef)
        plain.args, plain.decorator_list = _bare(node.args), kept
        skeleton = ast.ClassDef(owner.name, [], [], [plain], [])
        setup = f"{ast.unparse(ast.fix_missing_locations(skeleton))}\n_object = {owner.name}()"
        for other in upstream:
            for _, function, call in _with_class(other.tree):
                if (
                    isinstance(call, ast.Call)
                    and isinstance(call.func, ast.Attribute)
                    and call.func.attr == method
                ):
                    yield {
                        "kind": "call", "file": other.path, "line": call.lineno, "setup": setup,
                        "code": f"_object.{method}({arguments(call)})", "function": function,
                        "caller": True,
                    }  # fmt: skip
        return


def _bare(parameters: ast.arguments) -> ast.arguments:
    """Parameters without annotations, and with nothing for defaults."""
    bare = ast.parse(f"def f({ast.unparse(parameters)}): pass").body[0]
    assert isinstance(bare, ast.FunctionDef)
    for parameter in ast.walk(bare.args):
        if isinstance(parameter, ast.arg):
            parameter.annotation = None
    bare.args.defaults = [ast.Constant(None) for _ in bare.args.defaults]
    bare.args.kw_defaults = [d and ast.Constant(None) for d in bare.args.kw_defaults]
    return bare.args


def attributes(source: Source, site: Path, symbol: str) -> Iterator[Request]:
    """The reads of an attribute of that name, on an object of the class or of the class here around it."""
    owner_name, _, name = symbol.rpartition(".")
    found = split(site, owner_name)
    if found is None or not found[1] or "." in found[1]:
        return
    text = site.joinpath(*found[0].split(".")).with_suffix(".py")
    if not text.is_file() or re.search(
        rf"\bself\.{name}\b\s*[:=]|^\s+{name}\s*:", text.read_text(), re.MULTILINE
    ):
        return
    for owner, function, node in _with_class(source.tree):
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load):
            ours = owner is not None and isinstance(node.value, ast.Name) and node.value.id == "self"
            setup = "_object = object.__new__(_class)"
            if ours and owner is not None:
                setup = f"class {owner.name}(_class): pass\n_object = object.__new__({owner.name})"
            yield {
                "kind": "attribute", "file": source.path, "line": node.lineno,
                "symbol": ":".join(found), "setup": setup, "code": f"_object.{name}", "function": function,
            }  # fmt: skip


def subclasses(source: Source, site: Path, symbol: str) -> Iterator[Request]:
    """Making each class of a file that derives from the symbol's class, with the methods that it has."""
    found = split(site, symbol.rpartition(".")[0])
    if found is None or not found[1]:
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef) and any(last(b) == found[1].rpartition(".")[2] for b in node.bases):
            methods = [n.name for n in node.body if isinstance(n, ast.FunctionDef)]
            body = "\n".join(f"    def {n}(self, *a, **k): pass" for n in methods) or "    pass"
            yield {
                "kind": "call", "file": source.path, "line": node.lineno, "symbol": ":".join(found),
                "setup": f"class {node.name}(_class):\n{body}\n", "code": f"{node.name}()",
            }  # fmt: skip


def _with_class(tree: ast.Module) -> Iterator[tuple[ast.ClassDef | None, str, ast.AST]]:
    """Every node with the class and the name of the function around it."""
    pending: list[tuple[ast.ClassDef | None, str, ast.AST]] = [(None, "", tree)]
    while pending:
        owner, function, node = pending.pop()
        yield owner, function, node
        inside = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else function
        around = node if isinstance(node, ast.ClassDef) else owner
        pending += [(around, inside, child) for child in reversed(list(ast.iter_child_nodes(node)))]


def requests(record: Any, source: Source, upstream: Sequence[Source], site: Path) -> Iterator[Request]:
    """Everything of one file that may show a break."""
    symbols, packages = record["symbols"], sorted({s.partition(".")[0] for s in record["symbols"]})
    yield from imports(source, symbols, packages)
    for symbol in symbols:
        yield from calls(source, site, symbol)
        if "dataclass" in record["kind"]:
            yield from calls(source, site, symbol.rpartition(".")[0])
        yield from overrides(source, upstream, symbol)
        yield from attributes(source, site, symbol)
        if "abstract" in record["kind"]:
            yield from subclasses(source, site, symbol)


def extracted(repository: GitRepository, commit: str, packages: Sequence[str], folder: Path) -> Path:
    """The packages of a commit on disk."""
    if not (folder / ".complete").exists():
        entries = [
            e for p, e in repository.tree(commit, [f"{p}/" for p in packages]).items() if p.endswith(".py")
        ]
        for entry, (_, content) in zip(entries, repository.blobs([e.blob for e in entries]), strict=True):
            target = folder / entry.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        (folder / ".complete").touch()
    return folder


def answers(site: Path, packages: Sequence[str], asked: Sequence[Request]) -> list[str]:
    """How each request fails on a tree."""
    script = Path(__file__).with_name("triage_symptoms.py")
    done = subprocess.run(
        [sys.executable, "-S", "-I", str(script), str(site), ",".join(packages)],
        input="".join(f"{json.dumps(r)}\n" for r in asked), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, check=False, cwd=site,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    return [json.loads(lines[i]) if i < len(lines) else "!the process ended" for i in range(len(asked))]


def is_symptom(text: str, kind: str) -> bool:
    """Whether a failure is one that the break explains, and not one of the stand-ins."""
    if text.startswith("!"):
        return False
    error = text.rstrip().rpartition("\n")[2]
    if error.startswith("TypeError"):
        return bool(_BINDING.search(error)) or ("abstract" in kind and "abstract class" in error)
    return error.startswith(("ImportError", "ModuleNotFoundError", "AttributeError"))


def symptoms(record: Any, folder: Path, trees: tuple[Path, Path], packages: Sequence[str]) -> list[str]:
    """The tracebacks of a break: what works on the old tree and fails on the new."""
    old, new = trees
    ours = [path for path in record["files"] if path.endswith(".py")]
    names = {s.rpartition(".")[2] for s in record["symbols"]}
    paths = [str(p.relative_to(new)) for p in new.rglob("*.py")]
    mentioning = [p for p in paths if any(f".{n}(" in (new / p).read_text("utf-8", "replace") for n in names)]
    upstream = list(sources(new, mentioning[:_MOST]))
    asked = [r for source in sources(folder, ours) for r in requests(record, source, upstream, new)]
    before, after = answers(old, packages, asked), answers(new, packages, asked)
    # Upstream's own calls are others on the old tree: what it called so before is not new.
    earlier = {
        f"_object.{n.func.attr}({arguments(n)})"
        for source in sources(old, mentioning)
        for n in ast.walk(source.tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
    }
    worked = [
        r["code"] not in earlier if "caller" in r else not is_symptom(text, record["kind"])
        for r, text in zip(asked, before, strict=True)
    ]
    bad = [
        text for fine, text in zip(worked, after, strict=True) if fine and is_symptom(text, record["kind"])
    ]
    return list(dict.fromkeys(bad))


def remembered(file: Path) -> list[Impact]:
    """The impacts of a JSON report."""
    return [impact for report in parse(file.read_bytes(), str(file)) for impact in report.impacts]


def rank(found: Diagnosis, sha: str) -> int:
    """The place of a commit among the suspected ones, 0 where it is not among them."""
    return next((n for n, guilty in enumerate(found.guilty, 1) if guilty.commit.sha == sha), 0)


def main() -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="triage.py", description="Guilty commits of breaks that happened.")
    parser.add_argument("truth", type=Path)
    parser.add_argument("--upstream", type=Path, required=True, help="git repository of the upstream")
    parser.add_argument(
        "--backend-repository", type=Path, required=True, help="git repository of the backend"
    )
    parser.add_argument("--work", type=Path, required=True, help="folder for trees and checkouts")
    parser.add_argument("--results", type=Path, help="results of truth.py")
    parser.add_argument("--only", action="append", default=[], metavar="ID")
    parser.add_argument(
        "--verbose", action="store_true", help="print the tracebacks of what is not found first"
    )
    options = parser.parse_args()
    ranks: list[int] = []
    silent = 0
    for line in options.truth.read_text().splitlines():
        item = json.loads(line)
        records = [b for b in item["breaks"] if b["in_source"]]
        if not records or (options.only and item["id"] not in options.only):
            continue
        for record, found in _of_range(options, item, records):
            if found is None:
                silent += 1
                print(f"{item['id']} #{record['pr']:<6} {record['kind']:<30} nothing to be run", flush=True)
                continue
            ranks.append(rank(found, record["sha"]))
            print(
                f"{item['id']} #{record['pr']:<6} {record['kind']:<30} rank {ranks[-1] or '-'}  "
                f"{found.failure.text.splitlines()[0][:100]}", flush=True,
            )  # fmt: skip
            if options.verbose and ranks[-1] != 1:
                for guilty in found.guilty[:3]:
                    print(f"    #{guilty.commit.pr} {guilty.strength} {guilty.reasons[0]}")
    first, three = sum(r == 1 for r in ranks), sum(1 <= r <= 3 for r in ranks)
    total = len(ranks) or 1
    print(
        f"{len(ranks)} breaks with a symptom ({silent} without): first {first} ({first / total:.0%}), "
        f"among three {three} ({three / total:.0%})"
    )
    return 0


def _of_range(
    options: argparse.Namespace, item: Any, records: Sequence[Any]
) -> Iterator[tuple[Any, Diagnosis | None]]:
    folder = options.work / "checkouts" / item["id"]
    with GitRepository(options.backend_repository) as repository:
        check_out(repository, item["backend_parent"], folder)
    settings = configuration.load(folder)
    with open_upstream(settings, str(options.upstream), cache_dir()) as upstream:
        ends = item["upstream_old"], item["upstream_new"]
        old, new = (
            extracted(upstream.repository, sha, upstream.packages, options.work / "trees" / sha[:12])
            for sha in ends
        )
        span = between(upstream.repository, *ends)
        told = {r["sha"]: symptoms(r, folder, (old, new), upstream.packages) for r in records}
        with opened(settings, upstream, backend_of(settings), cache_dir()) as trees:
            analysis = _analysis(options, item, span, trees)
            impacts = analysis.impacts
            case = SearchedRange(trees, span, partial(tuple, impacts))
            for record in records:
                logs = told[record["sha"]]
                if not logs:
                    yield record, None
                    continue
                (failure, *_) = causes(folded(parsed("log", [logs[0].encode()])))
                yield record, diagnosed(case, failure)


def _analysis(options: argparse.Namespace, item: Any, span: Span, trees: Any) -> Analysis:
    file = options.results / f"{item['id']}.json" if options.results else None
    if file is not None and file.exists():
        return Analysis(span, tuple(remembered(file)), ())
    return analyse(trees, span, AnalysisCache(cache_dir() / "analyses"))


if __name__ == "__main__":
    sys.exit(main())
