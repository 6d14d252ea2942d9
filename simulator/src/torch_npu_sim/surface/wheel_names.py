"""The names that the modules of a torch_npu wheel have, read from its files without importing them."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from pathlib import PurePosixPath
from typing import Any

PACKAGE = "torch_npu"
EXTENSION = f"{PACKAGE}._C"
#: The library that defines what ``torch_npu._C`` offers: the extension itself only loads it.
LIBRARY = f"{PACKAGE}/lib/libtorch_npu.so"
#: Packages below torch_npu that it offers under a name of their own, by that name.
ALIASES = {
    "torchair": f"{PACKAGE}.dynamo.torchair",
    "npugraph_ex": f"{PACKAGE}.dynamo.npugraph_ex",
}

# Linkers store a constant that another one ends with inside that one, so not every constant follows a zero.
_CONSTANT = re.compile(rb"(?<![A-Za-z0-9_])([A-Za-z_][A-Za-z0-9_]{1,79})\0")
_CHILD = re.compile(rf"{re.escape(EXTENSION)}\.(_[a-z0-9_]+)\b")
_NAMED = re.compile(rf"{re.escape(EXTENSION)}\.([A-Za-z_]\w*)")
_TAKEN = re.compile(rf"from {re.escape(EXTENSION)} import (\([\w\s,]+\)|[\w ,]+)")
#: How modules of the wheel put names into torch_npu itself while it is imported.
_PUT = re.compile(
    rf"^[ \t]+(?:{PACKAGE}\.(\w+) = |setattr\({PACKAGE}, \"(\w+)\", |globals_dict\[\"(\w+)\"\] = )(\w*)", re.M
)
#: Where they stand; elsewhere such lines run only when that module is imported.
_PUTTING = tuple(f"{PACKAGE}/{folder}/" for folder in ("_init", "npu", "utils"))

#: The child of the extension whose dtypes torch_npu takes as its own names; before it had one, it had none.
_DTYPE_CHILD = "_cd"
#: Their numbers: 256 more than ``aclDataType`` of CANN's acl_base.h. Some of them stand in the wheels' table, too
#: (``op_plugin/meta/_meta_registrations.py``).
_DTYPES = {
    "float32": 256, "float16": 257, "int8": 258, "int32": 259, "uint8": 260, "int16": 262, "uint16": 263,
    "uint32": 264, "int64": 265, "uint64": 266, "float64": 267, "bool": 268, "string": 269, "complex64": 272,
    "complex128": 273, "bfloat16": 283, "int4": 285, "uint1": 286, "complex32": 289, "hifloat8": 290,
    "float8_e5m2": 291, "float8_e4m3fn": 292, "float8_e8m0fnu": 293, "float6_e3m2": 294, "float6_e2m3": 295,
    "float4_e2m1fn_x2": 296, "float4_e1m2fn_x2": 297,
}  # fmt: skip


class Kind(Enum):
    """The kinds of values that a name is bound to."""

    FUNCTION = "function"
    CLASS = "class"
    LITERAL = "literal"
    ENUMERATION = "enumeration"
    IMPORTED = "imported"
    MODULE = "module"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a module.

    ``value`` is a literal's value, or an enumeration's members in their order. ``module`` and ``attribute``
    say where an imported name comes from; without an attribute it is the module.
    """

    kind: Kind
    value: Any = None
    module: str = ""
    attribute: str = ""
    #: Whether the members of an enumeration are shown by their bare name.
    bare: bool = False


class WheelNames:
    """The modules of a wheel and their names; each module is read when it is first asked for."""

    def __init__(self, files: Iterable[str], read: Callable[[str], bytes]) -> None:
        """Read from ``files``, paths within the distribution, by ``read``."""
        self._files = frozenset(files)
        self._read = read
        self.names = lru_cache(maxsize=None)(self._names)

    def has_module(self, module: str) -> bool:
        """Whether the wheel has a module, or its extension a submodule, of that name."""
        parent, _, child = module.rpartition(".")
        if parent == EXTENSION:
            return child in self._children
        return self.is_package(module) or f"{_path(module)}.py" in self._files

    def is_package(self, module: str) -> bool:
        """Whether the module can have submodules; a folder without ``__init__.py`` is one, too."""
        return module == EXTENSION or _path(module) in self._folders

    def exports(self, module: str) -> tuple[str, ...] | None:
        """Return the names in ``__all__`` of the module, or None if it has none that can be read."""
        found = self.names(module).get("__all__")
        return tuple(found.value) if found and found.kind is Kind.LITERAL else None

    @cached_property
    def _folders(self) -> frozenset[str]:
        python = [PurePosixPath(file) for file in self._files if file.endswith(".py")]
        return frozenset(str(folder) for file in python for folder in file.parents)

    @cached_property
    def constants(self) -> frozenset[str]:
        """Identifiers that stand as a constant in the library: what ``torch_npu._C`` offers is among them."""
        return self.library_constants()

    def library_constants(self) -> frozenset[str]:
        """Return the constants, read anew: this takes seconds."""
        if LIBRARY not in self._files:
            return frozenset()
        return frozenset(found.decode() for found in _CONSTANT.findall(self._read(LIBRARY)))

    @cached_property
    def _extension_names(self) -> frozenset[str]:
        """Names of ``torch_npu._C`` that the wheel's own modules use."""
        found: set[str] = set()
        for text in self._texts(""):
            found.update(_NAMED.findall(text))
            for names in _TAKEN.findall(text):
                found.update(re.findall(r"(\w+)(?:\s+as\s+\w+)?", names))
        return frozenset(found)

    @cached_property
    def _children(self) -> frozenset[str]:
        """Submodules of ``torch_npu._C``: named with something in them, or imported from."""
        dotted = re.compile(_CHILD.pattern + r"(?=\.\w| import )")
        return frozenset(child for text in self._texts("") for child in dotted.findall(text))

    def _texts(self, folder: str) -> Iterator[str]:
        for file in sorted(self._files):
            if file.startswith(f"{PACKAGE}/{folder}") and file.endswith(".py"):
                yield self._read(file).decode()

    def _names(self, module: str) -> Mapping[str, Name]:
        """The names of a module. Raises KeyError for a module that the wheel lacks."""
        if module == EXTENSION or module.rpartition(".")[0] == EXTENSION:
            return self._of_extension(module)
        if not self.has_module(module):
            raise KeyError(module)
        path = _path(module)
        file = next((f for f in (f"{path}/__init__.py", f"{path}.py") if f in self._files), None)
        text = self._read(file) if file else b""
        found = dict(self._bound(ast.parse(text), module))
        listed = found.get("__all__", Name(Kind.OTHER)).value
        # What compiled code puts into a module stands in its list alone.
        found |= {name: Name(Kind.OTHER) for name in listed or () if name not in found}
        return dict(self._put()) | found if module == PACKAGE else found

    def _put(self) -> Iterator[tuple[str, Name]]:
        """Yield the names that modules put into torch_npu during its import, and its extension's dtypes."""
        for file in self._files:
            if file.startswith(_PUTTING) and file.endswith(".py"):
                module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                for *names, value in _PUT.findall(self._read(file).decode()):
                    known = value in self.names(module)
                    taken = Name(Kind.IMPORTED, module=module, attribute=value)
                    yield "".join(names), taken if known else Name(Kind.OTHER)
        if _DTYPE_CHILD in self._children:
            for name, number in _DTYPES.items():
                if name in self.constants:
                    yield name, Name(Kind.LITERAL, number)

    def _of_extension(self, module: str) -> Mapping[str, Name]:
        if module != EXTENSION:
            return {name: Name(likely(name)) for name in self.constants}
        children = {child: Name(Kind.MODULE, module=f"{EXTENSION}.{child}") for child in self._children}
        return {name: Name(likely(name)) for name in self.constants | self._extension_names} | children

    def _bound(self, tree: ast.Module, module: str) -> Iterator[tuple[str, Name]]:
        for node in _statements(tree.body):
            match node:
                case ast.FunctionDef(name="__getattr__") | ast.AsyncFunctionDef(name="__getattr__"):
                    yield from ((name, Name(Kind.OTHER)) for name in _compared(node))
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    yield name, Name(Kind.FUNCTION)
                case ast.ClassDef():
                    yield node.name, _class(node)
                case ast.Import():
                    for alias in node.names:
                        whole = alias.name if alias.asname else alias.name.partition(".")[0]
                        yield alias.asname or whole, Name(Kind.MODULE, module=whole)
                case ast.ImportFrom():
                    yield from self._taken(node, module)
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        yield from _assigned(target, value)
                case ast.AnnAssign(target=target, value=value) if value is not None:
                    yield from _assigned(target, value)

    def _taken(self, node: ast.ImportFrom, module: str) -> Iterator[tuple[str, Name]]:
        origin = self._origin(node, module)
        for alias in node.names:
            if alias.name != "*":
                yield alias.asname or alias.name, Name(Kind.IMPORTED, module=origin, attribute=alias.name)
            elif origin != module and self.has_module(origin):
                theirs = self.names(origin)
                shown = self.exports(origin)
                for name in shown if shown is not None else [n for n in theirs if not n.startswith("_")]:
                    yield name, Name(Kind.IMPORTED, module=origin, attribute=name)

    def _origin(self, node: ast.ImportFrom, module: str) -> str:
        if not node.level:
            return node.module or ""
        parts = module.split(".")
        parts = parts[: len(parts) - node.level + self.is_package(module)]
        return ".".join([*parts, *([node.module] if node.module else [])])


def _path(module: str) -> str:
    return module.replace(".", "/")


def likely(name: str) -> Kind:
    """Return what a name of which nothing else is known is most likely bound to."""
    return Kind.CLASS if name.lstrip("_")[:1].isupper() else Kind.FUNCTION


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when the module is imported; of conditions both sides."""
    for node in body:
        yield node
        match node:
            case ast.If() | ast.For() | ast.While():
                yield from _statements([*node.body, *node.orelse])
            case ast.With():
                yield from _statements(node.body)
            case ast.Try():
                handlers = [each for handler in node.handlers for each in handler.body]
                yield from _statements([*node.body, *handlers, *node.orelse, *node.finalbody])


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, Name]]:
    match target:
        case ast.Name(id=name):
            yield name, _literal(value)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _assigned(part, ast.Name(id="_"))


def _literal(value: ast.expr) -> Name:
    try:
        return Name(Kind.LITERAL, ast.literal_eval(value))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return Name(Kind.OTHER)


def _class(node: ast.ClassDef) -> Name:
    """A class; an enumeration with the members whose values are literals."""
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
    if not bases & {"Enum", "IntEnum"}:
        return Name(Kind.CLASS)
    members = {
        name: found.value
        for each in node.body
        if isinstance(each, ast.Assign)
        for target in each.targets
        for name, found in _assigned(target, each.value)
        if found.kind is Kind.LITERAL
    }
    bare = any(isinstance(each, ast.FunctionDef) and each.name == "__str__" for each in node.body)
    base = "IntEnum" if "IntEnum" in bases else "Enum"
    return Name(Kind.ENUMERATION, members, module="enum", attribute=base, bare=bare)


def _compared(function: ast.AST) -> Iterator[str]:
    """The names that a module's ``__getattr__`` compares with what it is asked for."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare):
            for side in ast.walk(node):
                if isinstance(side, ast.Constant) and isinstance(side.value, str):
                    yield side.value
