"""Types for the arguments of rewrites and edits, checked when a file is read; JSON schemas show shapes."""

from __future__ import annotations

import ast
import keyword
import re
from pathlib import PurePosixPath
from typing import Annotated

from packaging.version import InvalidVersion, Version
from pydantic import AfterValidator, Field, WithJsonSchema

_PART = r"[^\W\d]\w*"
_NOT_PARSED = (SyntaxError, ValueError, RecursionError, MemoryError)


def expression(text: str, otherwise: str) -> ast.expr:
    """Return an expression as syntax. Raises ValueError, which says ``otherwise`` and Python's own reason."""
    try:
        return ast.parse(text, mode="eval").body
    except _NOT_PARSED as error:
        raise ValueError(f"{otherwise}: {_reason(error)}") from error


def statements(text: str, otherwise: str) -> list[ast.stmt]:
    """Return statements as syntax. Raises ValueError, which says ``otherwise`` and Python's own reason."""
    try:
        return ast.parse(text).body
    except _NOT_PARSED as error:
        raise ValueError(f"{otherwise}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    deep = isinstance(error, RecursionError | MemoryError)
    return "nested too deeply" if deep else getattr(error, "msg", None) or str(error)


def _name(text: str) -> str:
    if not text.isidentifier() or keyword.iskeyword(text):
        raise ValueError(f"{text!r} is not a Python name such as 'forward'")
    return text


def _dotted(text: str) -> str:
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in text.split(".")):
        raise ValueError(f"{text!r} is not a dotted name such as 'package.module.Thing'")
    return text


def _symbol(text: str) -> str:
    if "." not in _dotted(text):
        raise ValueError(f"{text!r} says no module: give the dotted name, such as 'package.module.Thing'")
    return text


def _expression(text: str) -> str:
    text = text.strip()
    alone = expression(text, f"{text!r} is not one Python expression")
    beside = expression(f"_(_={text})", f"{text!r} cannot be one of several arguments")
    given = beside.keywords if isinstance(beside, ast.Call) else []
    if [ast.dump(argument.value) for argument in given] != [ast.dump(alone)]:
        raise ValueError(f"{text!r} cannot be one of several arguments: it lacks parentheses")
    return text


def _quoted(text: str) -> str:
    if not re.fullmatch(r"[^\s'\"\\]+", text) or not text.isprintable():
        raise ValueError(f"{text!r} has to fit between quotes as it is: no spaces, quotes or backslashes")
    return text


def _source_path(text: str) -> str:
    path = PurePosixPath(text)
    if not text or path.is_absolute() or ".." in path.parts or path.as_posix() != text:
        raise ValueError(f"{text!r} is not a path relative to the backend's folder, such as 'src/pkg/a.py'")
    return text


def _version(text: str) -> str:
    try:
        Version(text)
    except InvalidVersion as error:
        raise ValueError(f"{text!r} is not a PEP 440 version such as 0.32.0") from error
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


#: A name of Python's that is no keyword.
Name = Annotated[str, AfterValidator(_name), WithJsonSchema({"type": "string", "pattern": f"^{_PART}$"})]
#: Names with dots between them, or one name.
Dotted = Annotated[
    str, AfterValidator(_dotted), WithJsonSchema({"type": "string", "pattern": rf"^{_PART}(\.{_PART})*$"})
]
#: A dotted name of something in a module.
Symbol = Annotated[
    str, AfterValidator(_symbol), WithJsonSchema({"type": "string", "pattern": rf"^{_PART}(\.{_PART})+$"})
]
#: One expression, as an argument of a call may be written.
Expression = Annotated[str, AfterValidator(_expression)]
#: What a string may hold without changing where it ends.
Quoted = Annotated[str, AfterValidator(_quoted)]
#: The path of a source file.
SourcePath = Annotated[
    str,
    AfterValidator(_source_path),
    Field(description="path relative to the backend's folder", examples=["src/pkg/worker.py"]),
]
#: Other names of one upstream symbol.
Aliases = Annotated[
    tuple[Dotted, ...], Field(description="other dotted names under which upstream exports it")
]
#: Classes of the backend that a source does not show to be subclasses.
Subclasses = Annotated[
    tuple[Dotted, ...],
    Field(description="classes of the backend, elsewhere in it, that derive from the upstream class"),
]
#: Objects that a source does not show to be instances.
Instances = Annotated[
    tuple[Expression, ...], Field(description="expressions, as written, known to be instances")
]
#: Text that has to stand in a file as it is.
Text = Annotated[str, AfterValidator(_not_blank)]
#: A version of upstream.
ReleaseVersion = Annotated[str, AfterValidator(_version)]
