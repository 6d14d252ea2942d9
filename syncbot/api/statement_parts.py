"""Statements and signatures taken apart: what stands inside, which names they bind, on which conditions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from syncbot.api.expressions import condition_text, dotted, text, written
from syncbot.api.model import Import, Parameter, Passing

# Whatever name the module ``typing`` has there.
_FOR_CHECKERS = re.compile(r"if (?:\w+\.)?TYPE_CHECKING")


def branches(node: ast.stmt) -> Iterable[tuple[Sequence[ast.stmt], tuple[str, ...]]]:
    """The inner bodies of a compound statement that is no definition, each with its guard: ``if TEST``,
    ``else TEST``, ``try EXCEPTIONS`` or ``except EXCEPTIONS``; loops and ``with`` add none."""
    match node:
        case ast.If():
            test = condition_text(node.test)
            yield node.body, (f"if {test}",)
            yield node.orelse, (f"else {test}",)
        case ast.Try() | ast.TryStar():
            caught = ",".join(written(h.type) if h.type else "BaseException" for h in node.handlers)
            yield node.body, ((f"try {caught}",) if caught else ())
            for handler in node.handlers:
                kind = written(handler.type) if handler.type else "BaseException"
                yield handler.body, (f"except {kind}",)
            yield node.orelse, ()
            yield node.finalbody, ()
        case ast.Match():
            for case in node.cases:
                yield case.body, (f"if {written(node.subject)} is {written(case.pattern)}",)
        case ast.For() | ast.AsyncFor() | ast.While():
            yield node.body, ()
            yield node.orelse, ()
        case ast.With() | ast.AsyncWith():
            yield node.body, ()


def type_checking(guards: Sequence[str]) -> bool:
    """Whether the code under some guards is for type checkers only."""
    return any(_FOR_CHECKERS.fullmatch(guard) for guard in guards)


def imported(node: ast.Import | ast.ImportFrom, scope: str, guards: tuple[str, ...] = ()) -> Iterable[Import]:
    """One Import for each name that an import statement binds."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            local = alias.asname or alias.name.partition(".")[0]
            yield Import(alias.name, None, local, 0, node.lineno, scope, guards)
        else:
            local = alias.asname or alias.name
            yield Import(node.module or "", alias.name, local, node.level, node.lineno, scope, guards)


def bound_names(node: ast.Import | ast.ImportFrom, package: str) -> Iterable[tuple[str, str]]:
    """The local names that an import in a module of ``package`` binds, each with what is behind it."""
    for bound in imported(node, ""):
        if bound.name is not None:
            yield bound.local, f"{absolute(package, bound.level, bound.module)}.{bound.name}"
        else:
            head = bound.module.partition(".")[0]
            yield bound.local, head if bound.local == head else bound.module


def absolute(package: str, level: int, target: str) -> str:
    """The absolute name of ``from <level dots><target>`` as written in a module of ``package``."""
    if level == 0:
        return target
    parts = package.split(".")
    return ".".join([*parts[: max(len(parts) - level + 1, 0)], *([target] if target else [])])


def parameters(arguments: ast.arguments) -> tuple[Parameter, ...]:
    """The parameters of a function in the order of its signature."""
    found: list[Parameter] = []
    plain: list[tuple[ast.arg, Passing]] = [(a, "pos") for a in arguments.posonlyargs]
    plain += [(a, "any") for a in arguments.args]
    first_default = len(plain) - len(arguments.defaults)
    for index, (argument, kind) in enumerate(plain):
        default = arguments.defaults[index - first_default] if index >= first_default else None
        found.append(Parameter(argument.arg, kind, text(default), text(argument.annotation)))
    if arguments.vararg:
        found.append(Parameter(arguments.vararg.arg, "*", None, text(arguments.vararg.annotation)))
    for argument, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(Parameter(argument.arg, "key", text(keyword_default), text(argument.annotation)))
    if arguments.kwarg:
        found.append(Parameter(arguments.kwarg.arg, "**", None, text(arguments.kwarg.annotation)))
    return tuple(found)


# What ends a program where it is called (https://docs.python.org/3/library/constants.html, sys, os).
_ENDING = {"exit", "quit", "sys.exit", "os._exit", "os.abort"}


def leaves_by_error(node: ast.AST) -> bool:
    """Whether a statement raises, or ends the program."""
    match node:
        case ast.Raise():
            return True
        case ast.Expr(value=ast.Call(func=called)):
            return dotted(called) in _ENDING
    return False
