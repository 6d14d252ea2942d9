"""Which modules a run depends on, of those that are found by their presence: a change of the others does not touch it.

References, cases and models are many, and a run uses few. All other modules count for every run, and whatever they
import.
"""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import torch_npu_sim

import vllm_npu_cases

#: Packages of which a run uses some modules.
OF_SOME = ("torch_npu_sim.references", "vllm_npu_cases.cases", "vllm_npu_cases.models")
#: Noted of a run that met an operator without a reference.
ALL = "*"


def used(noted: Collection[str]) -> list[str] | None:
    """Return the modules of these packages that a run depends on, sorted; None if that is all of them.

    ``noted`` are modules that it asked. What these import counts, and what every run imports.
    """
    if ALL in noted:
        return None
    files = dict(_modules(Path(str(torch_npu_sim.__file__)).parent)) | dict(
        _modules(Path(str(vllm_npu_cases.__file__)).parent)
    )
    left = [name for name in files if name in noted or name.rpartition(".")[0] not in OF_SOME]
    known = set(left)
    while left:
        for name in imported(files[left.pop()], files):
            if name not in known:
                known.add(name)
                left.append(name)
    return sorted(name for name in known if name in OF_SOME or name.rpartition(".")[0] in OF_SOME)


def imported(file: Path, known: Mapping[str, Path]) -> set[str]:
    """Return the modules of ``known`` that a file names in an import, wherever in it."""
    return {name for name in _named(ast.parse(file.read_text(encoding="utf-8"))) if name in known}


def _named(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name for each in node.names for name in _with_parents(each.name))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from _with_parents(node.module)
            yield from (f"{node.module}.{each.name}" for each in node.names)


def _with_parents(name: str) -> Iterable[str]:
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def _modules(package: Path) -> Iterator[tuple[str, Path]]:
    for file in package.rglob("*.py"):
        parts = (package.name, *file.relative_to(package).with_suffix("").parts)
        yield ".".join(parts).removesuffix(".__init__"), file
