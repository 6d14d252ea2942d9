"""Names that a module gives when it is asked for them, by its ``__getattr__`` (PEP 562)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from syncbot.api.expressions import string
from syncbot.api.model import Attribute, Function, Import
from syncbot.api.statement_parts import imported

#: What such an import stands under: it does not run when its module is imported.
LAZY = "on request"


def answers(functions: Iterable[Function], variables: Iterable[Attribute]) -> bool:
    """Whether a module of these has a ``__getattr__``, which may be made by a call."""
    return "__getattr__" in {f.name for f in functions} | {v.name for v in variables}


def lazy_imports(node: ast.FunctionDef) -> Iterator[Import]:
    """Yield the imports that a module's ``__getattr__`` makes and returns for names that it spells out:
    ``if name == "A": from b import C; return C`` yields ``A``."""
    asked = node.args.args[0].arg if len(node.args.args) == 1 else None
    for statement in node.body if asked is not None else ():
        match statement:
            case ast.If():
                yield from _of_branches(statement, asked or "")
            case ast.Match(subject=ast.Name(id=subject), cases=cases) if subject == asked:
                for case in cases:
                    if isinstance(case.pattern, ast.MatchValue) and case.guard is None:
                        yield from _returned(case.body, string(case.pattern.value))


def _of_branches(branch: ast.If, asked: str) -> Iterator[Import]:
    """The same for one ``if``, and each ``elif`` of it."""
    match branch.test:
        case ast.Compare(left=ast.Name(id=left), ops=[ast.Eq()], comparators=[name]) if left == asked:
            yield from _returned(branch.body, string(name))
    match branch.orelse:
        case [ast.If() as further]:
            yield from _of_branches(further, asked)


def _returned(body: Sequence[ast.stmt], name: str | None) -> Iterator[Import]:
    here = {
        bound.local: bound
        for statement in body
        if isinstance(statement, ast.ImportFrom)
        for bound in imported(statement, "", (LAZY,))
    }
    match body[-1]:
        case ast.Return(value=ast.Name(id=given)) if name and given in here:
            yield replace(here[given], local=name)
