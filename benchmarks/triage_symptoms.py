"""Runs statements of a backend on an upstream tree in a process of its own, and prints how they fail.

usage: python -S -I benchmarks/triage_symptoms.py SITE PACKAGES < REQUESTS

SITE is a folder with the upstream's packages. They are imported really; everything else that is not in the
standard library is a stand-in that takes any use. Requests are lines of JSON; for each, one line of JSON is
printed: the traceback of the failure, or ``!`` and the reason where it did not fail as it was asked to.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import importlib.abc
import importlib.machinery
import json
import sys
import traceback
import types
import typing
from collections.abc import Sequence
from typing import Any


class _Meta(type(typing.Protocol)):  # type: ignore[misc]  # so that abstract classes may be bases too
    """The type of stand-ins: they are classes, so that they can be bases, and take any use."""

    def __call__(cls, *args: Any, **keywords: Any) -> Any:
        if not cls.__dict__.get("_stand_in"):
            return super().__call__(*args, **keywords)
        if len(args) == 1 and not keywords and callable(args[0]) and cls.__name__[:1].islower():
            return args[0]  # a decorator
        return stand_in(cls.__name__)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith(("__", "_abc", "_is_")):
            raise AttributeError(name)
        return stand_in(name)

    def __getitem__(cls, key: Any) -> Any:
        return cls

    def __iter__(cls) -> Any:
        return iter(())

    def __len__(cls) -> int:
        return 0

    def __contains__(cls, item: Any) -> bool:
        return False

    def __bool__(cls) -> bool:
        return False

    def __enter__(cls) -> Any:
        return cls

    def __exit__(cls, *args: Any) -> None:
        return None

    def __hash__(cls) -> int:
        return id(cls)

    def __eq__(cls, other: object) -> bool:
        return cls is other

    def __or__(cls, other: Any) -> Any:
        return cls

    __ror__ = __or__
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = __or__
    __and__ = __rand__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __rtruediv__ = __rfloordiv__ = __or__
    __matmul__ = __lshift__ = __rshift__ = __rlshift__ = __rrshift__ = __xor__ = __rxor__ = __or__

    def __neg__(cls) -> Any:
        return cls

    __invert__ = __pos__ = __abs__ = __neg__

    def __int__(cls) -> int:
        return 1

    __index__ = __int__

    def __float__(cls) -> float:
        return 1.0

    def __lt__(cls, other: Any) -> bool:
        return False

    __gt__ = __le__ = __ge__ = __lt__


def stand_in(name: str) -> Any:
    """A stand-in: any attribute, call, item or operator gives another one. What is named like an exception
    is one."""
    if name.endswith(("Error", "Exception", "Timeout", "Expired")) or name.startswith("Invalid"):
        return type(name, (Exception,), {})
    return _Meta(name, (), {"_stand_in": True, "__init_subclass__": classmethod(lambda cls, **k: None)})


def _dataclass(cls: Any = None, **options: Any) -> Any:
    # Fields without a default may follow others there.
    kept = {k: v for k, v in options.items() if k in ("frozen", "init", "eq", "order", "repr")}
    kept["kw_only"] = True
    return (
        dataclasses.dataclass(cls, **kept) if cls is not None else lambda c: dataclasses.dataclass(c, **kept)
    )


class _Module(types.ModuleType):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self.__version__, self.__file__ = "99.0.0", "/dev/null"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if self.__name__ == "typing_extensions" and name == "TypeVar":
            return lambda name, *bounds, **options: typing.TypeVar(name)
        if self.__name__ == "typing_extensions" and hasattr(typing, name):
            return getattr(typing, name)
        if self.__name__ == "pydantic.dataclasses" and name == "dataclass":
            return _dataclass
        if name == "Field":
            return lambda default=dataclasses.MISSING, **k: (
                dataclasses.field(default_factory=k["default_factory"])
                if "default_factory" in k
                else dataclasses.field(default=None if default is ... else default)
            )
        value = stand_in(name)
        setattr(self, name, value)
        return value


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a stand-in for every module that nothing else has."""

    def __init__(self, packages: Sequence[str]) -> None:
        self._real = {*packages, *sys.stdlib_module_names}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.partition(".")[0] in self._real:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> Any:
        return _Module(spec.name)

    def exec_module(self, module: Any) -> None:
        return None


def _failure(code: Any, names: dict[str, Any], wanted: Sequence[str], function: str = "") -> str:
    """The traceback of running code, if it raises one of the wanted exceptions, without this file."""
    try:
        exec(code, names)
        if function:
            names[function]()
    except BaseException as error:
        if type(error).__name__ not in wanted:
            return f"!{type(error).__name__}: {error}"
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
        frames = [f for f in frames if not f.filename.startswith("<frozen")]
        lines = ["Traceback (most recent call last):\n", *traceback.format_list(frames)]
        return "".join([*lines, *traceback.format_exception_only(error)])
    return "!did not fail"


def _at(expression: str, file: str, line: int, function: str = "") -> Any:
    """Code for an expression that stands at a line of a file, in a function of that name."""
    tree = ast.parse(f"def {function}():\n    {expression}" if function else expression)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
            node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
    return compile(tree, file, "exec")


def _found(dotted: str) -> Any:
    module, _, rest = dotted.partition(":")
    found: Any = importlib.import_module(module)
    for name in rest.split("."):
        found = getattr(found, name)
    return found


def answer(request: dict[str, Any]) -> str:
    """The traceback that a request gives; ``!`` and a reason where it gives none."""
    kind, file, line = request["kind"], request["file"], request["line"]
    names: dict[str, Any] = {"_stub": stand_in("stub")}
    if kind == "import":
        return _failure(_at(request["code"], file, line), names, ("ImportError", "ModuleNotFoundError"))
    try:
        if request.get("symbol"):
            names["_class"] = _found(request["symbol"])
        exec(compile(request.get("setup", ""), "<setup>", "exec"), names)
    except BaseException as error:
        return f"!{request.get('symbol')} cannot be had here: {type(error).__name__}: {error}"
    wanted = ("AttributeError",) if kind == "attribute" else ("TypeError",)
    function = request.get("function", "")
    return _failure(_at(request["code"], file, line, function), names, wanted, function)


def main() -> None:
    """Answer the requests on standard input."""
    site = sys.argv[1]
    packages = sys.argv[2].split(",")
    sys.path.insert(0, site)
    sys.meta_path.append(_Finder(packages))
    sys.setrecursionlimit(3000)
    out, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=out, flush=True)


if __name__ == "__main__":
    main()
