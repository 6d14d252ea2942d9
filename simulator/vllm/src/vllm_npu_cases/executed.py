"""Which functions a run executes: what its answer depends on, and nothing else.

Modules of the recorded packages are compiled with one call more at the start of each function, which sets a byte in a
file that all processes of the run share. Nothing has to be written when a process ends, so one that is killed has told
what it ran, too. Everything else runs as it is: no other code is traced, and the call itself takes less than what the
simplest operator does. ``torch.compile`` takes it for a constant.
"""

from __future__ import annotations

import ast
import builtins
import marshal
import mmap
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

#: Names the folder of the marks, and the packages that are recorded, with commas between.
FOLDER = "VLLM_NPU_CASES_EXECUTED"
PACKAGES = "VLLM_NPU_CASES_RECORDED"
#: The folder whose `sitecustomize` begins to record in every process that has it on its path.
STARTUP = Path(__file__).parent / "startup"

_MARKER = "__ran__"
_MARKS, _NAMES = ".marks", ".names"
#: Found by their presence, and imported by every run: one counts if a function of it ran, or another imports it.
_OF_SOME = "torch_npu_sim/references/"

_marks: dict[str, Any] = {}
_folder: Path | None = None


def functions(tree: ast.AST, outer: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield the functions of a module and of its classes, by dotted name, in the order of the text; not those inside
    of others, which are a part of them."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{outer}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{outer}{node.name}.")
        elif not isinstance(node, ast.expr):
            yield from functions(node, outer)


def numbered(names: Iterable[str]) -> list[str]:
    """Return names of which no two are the same: the second ``f`` is ``f#2``."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return found


def recorded(source: bytes, key: str) -> tuple[list[str], ast.Module]:
    """Return the names of a module's functions, and the module with a mark at the start of each; the module itself
    sets the first mark, which has no name."""
    tree = ast.parse(source)
    found = list(functions(tree))
    for number, (_, node) in enumerate(found, 1):
        _insert(node.body, key, number)
    _insert(tree.body, key, 0)
    return numbered(name for name, _ in found), tree


def _insert(body: list[ast.stmt], key: str, number: int) -> None:
    at = 0
    while at < len(body) and (
        (at == 0 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant))
        or (isinstance(body[at], ast.ImportFrom) and body[at].module == "__future__")  # type: ignore[attr-defined]
    ):
        at += 1
    call = ast.Expr(ast.Call(ast.Name(_MARKER, ast.Load()), [ast.Constant(key), ast.Constant(number)], []))
    line = body[min(at, len(body) - 1)].lineno if body else 1
    for node in ast.walk(call):
        node.lineno = node.end_lineno = line
        node.col_offset = node.end_col_offset = 0
    body.insert(at, call)


def _ran(key: str, number: int) -> None:
    _marks[key][number] = 1


# torch.compile calls it while it reads a function, and forgets it.
_ran._dynamo_marked_constant = True  # type: ignore[attr-defined]


class _Loader(SourceFileLoader):
    """Loads a module that marks what it executes."""

    def get_code(self, fullname: str) -> CodeType:
        path = Path(self.get_filename(fullname))
        package = fullname.split(".") if path.name == "__init__.py" else fullname.split(".")[:-1]
        key = "/".join([*package, path.name])
        names, code = _compiled(path, key)
        _open(key, names)
        return code


class _Finder:
    """Finds modules of the recorded packages."""

    def __init__(self, packages: frozenset[str]) -> None:
        self.packages = packages

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in self.packages:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def _compiled(path: Path, key: str) -> tuple[list[str], CodeType]:
    """The names and the code of a module; kept beside the marks, for every process of a run asks for it."""
    kept = _folder.parent / "compiled" / key.replace("/", "+") if _folder is not None else None
    if kept is not None and kept.exists():
        names, code = marshal.loads(kept.read_bytes())
        return names, code
    names, tree = recorded(path.read_bytes(), key)
    code = compile(tree, str(path), "exec", dont_inherit=True)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_name(f"{kept.name}.{os.getpid()}")
        partial.write_bytes(marshal.dumps((names, code)))
        partial.replace(kept)
    return names, code


def _open(key: str, names: list[str]) -> None:
    """Have the marks of a module in the folder of this run."""
    if key in _marks:
        return
    size = len(names) + 1
    if _folder is None:
        _marks[key] = bytearray(size)
        return
    _folder.mkdir(parents=True, exist_ok=True)
    file = _folder / (key.replace("/", "+") + _MARKS)
    file.with_suffix(_NAMES).write_text("\n".join(names))
    _marks[key] = _mapped(file, size)


def _mapped(file: Path, size: int) -> mmap.mmap:
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        os.ftruncate(handle, size)
        return mmap.mmap(handle, size)
    finally:
        os.close(handle)


def variables(folder: Path, packages: Iterable[str]) -> dict[str, str]:
    """Return the variables that have a process and its children mark in ``folder`` what they execute of packages."""
    path = [str(STARTUP), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {PACKAGES: ",".join(packages), FOLDER: str(folder), "PYTHONPATH": os.pathsep.join(path)}


def start() -> None:
    """Record what this process executes of the packages that the environment names, in the folder that it names."""
    global _folder
    packages = frozenset(filter(None, os.environ.get(PACKAGES, "").split(",")))
    if packages and os.environ.get(FOLDER) and not any(isinstance(each, _Finder) for each in sys.meta_path):
        _folder = Path(os.environ[FOLDER])
        setattr(builtins, _MARKER, _ran)
        sys.meta_path.insert(0, _Finder(packages))  # type: ignore[arg-type]


def follow() -> None:
    """Have what is executed from here on count for the run whose folder the environment names now, and what was
    executed before, too: called in a child that was forked for that run."""
    if _folder is not None and os.environ.get(FOLDER):
        _turn_to(Path(os.environ[FOLDER]), {key: bytes(marks) for key, marks in _marks.items()})


@contextmanager
def shared(folder: Path) -> Iterator[None]:
    """Have what is executed inside counted in ``folder``, too: others use its result without executing it."""
    own = _folder
    if own is None:
        yield
        return
    before = {key: bytes(marks) for key, marks in _marks.items()}
    _turn_to(folder, {})
    try:
        yield
    finally:
        inside = {key: bytes(marks) for key, marks in _marks.items()}
        _turn_to(own, before)
        _add(inside)


def include(folder: Path) -> None:
    """Count what was executed for ``folder`` as executed here."""
    if _folder is not None and folder.exists():
        for key, names in executed([folder]).items():
            known = _names(_folder, key)
            for name in names:
                _marks[key][0 if not name else known.index(name) + 1] = 1


def _turn_to(folder: Path, marks: Mapping[str, bytes]) -> None:
    global _folder
    folder.mkdir(parents=True, exist_ok=True)
    for key, known in _marks.items():
        file = folder / (key.replace("/", "+") + _MARKS)
        if _folder is not None and folder != _folder:
            names = _folder / file.with_suffix(_NAMES).name
            file.with_suffix(_NAMES).write_bytes(names.read_bytes())
        _marks[key] = _mapped(file, len(known))
    _folder = folder
    _add(marks)


def _add(marks: Mapping[str, bytes]) -> None:
    for key, known in marks.items():
        for number in (at for at, mark in enumerate(known) if mark):
            _marks[key][number] = 1


def _names(folder: Path, key: str) -> list[str]:
    return (folder / (key.replace("/", "+") + _NAMES)).read_text().splitlines()


def executed(folders: Iterable[Path]) -> dict[str, list[str]]:
    """Return the functions that were executed for these folders, by module; the name of the module's own code is
    empty."""
    found: dict[str, set[str]] = {}
    for folder in folders:
        for file in sorted(folder.glob(f"*{_MARKS}")) if folder.exists() else ():
            names = ["", *file.with_suffix(_NAMES).read_text().splitlines()]
            ran = {name for name, mark in zip(names, file.read_bytes(), strict=False) if mark}
            if ran:
                found.setdefault(file.name.removesuffix(_MARKS).replace("+", "/"), set()).update(ran)
    return {key: sorted(names) for key, names in sorted(found.items())}


def counted(found: Mapping[str, list[str]], sources: Path) -> dict[str, list[str]]:
    """Return what a run depends on of what it executed. ``sources`` is the folder of the packages.

    Every run imports all references. One of which no function ran counts only if one that counts imports it.
    """
    left = [key for key, names in found.items() if not key.startswith(_OF_SOME) or any(names)]
    left.append(f"{_OF_SOME}__init__.py")
    known = set(left)
    while left:
        file = sources / left.pop()
        for key in _imported(file, found) if file.exists() else ():
            if key not in known:
                known.add(key)
                left.append(key)
    kept = {key: names for key, names in found.items() if key in known}
    # Whoever met an operator without a reference would go another way with one: all of them count.
    missed = "refuse" in found.get("torch_npu_sim/operators.py", ())
    return {**kept, _OF_SOME: ["*"]} if missed else kept


def _imported(file: Path, known: Iterable[str]) -> set[str]:
    """The modules of ``known`` that a file names in an import, wherever in it."""
    named = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            named.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            named.add(node.module)
            named.update(f"{node.module}.{each.name}" for each in node.names)
    return {key for key in known if key.removesuffix(".py").removesuffix("/__init__").replace("/", ".") in named}
