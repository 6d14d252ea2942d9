"""Classes of Python's standard library by name, imported from there and from nowhere else."""

from __future__ import annotations

import importlib
import sys
import sysconfig
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType, ModuleType

# Modules that do something when they are imported, or that belong to tools and tests of Python's own.
_AVOIDED = {"antigravity", "this", "idlelib", "tkinter", "turtle", "turtledemo", "lib2to3", "test"}
# Parts of packages that are programs or tests.
_PROGRAMS = {"test", "tests", "tool"}


@cache
def standard_class(name: str) -> type | None:
    """The class of a dotted name in Python's standard library; a plain name is that of a built-in one."""
    parts = name.split(".") if "." in name else ["builtins", name]
    if any(not part.isidentifier() or part.startswith("_") or part in _PROGRAMS for part in parts):
        return None
    found: object = _module(parts[0]) if _is_standard(parts[0]) else None
    for part in parts[1:]:
        inside = getattr(found, part, None)
        if inside is None and isinstance(found, ModuleType) and hasattr(found, "__path__"):
            inside = _module(f"{found.__name__}.{part}")
        found = inside
    return found if isinstance(found, type) else None


def standard_class_has(class_: type, name: str) -> bool:
    """Whether objects of a class of the standard library may have an attribute: of the class, or one that a
    constructor or a method of it, written in Python, sets or asks for."""
    if hasattr(class_, name) or hasattr(class_, "__getattr__"):
        return True
    functions = (f for c in class_.__mro__ for f in vars(c).values() if isinstance(f, FunctionType))
    return any(name in f.__code__.co_names for f in functions)


def _module(name: str) -> ModuleType | None:
    # What is deprecated warns, and a warning may be an error here.
    try:
        return importlib.import_module(name)
    except (ImportError, OSError, Warning):
        return None


def _is_standard(name: str) -> bool:
    """Whether a module is Python's own: a file of that name that is found first may be anybody's."""
    if name not in sys.stdlib_module_names or name in _AVOIDED:
        return False
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return False
    origin = spec.origin if spec is not None else None
    return origin is not None and (origin in ("built-in", "frozen") or _is_installed_with_python(origin))


def _is_installed_with_python(file: str) -> bool:
    home = Path(file).resolve()
    roots = {Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "platstdlib")}
    added = {"site-packages", "dist-packages"} & {*home.parts}
    return not added and any(home.is_relative_to(root) for root in roots)
