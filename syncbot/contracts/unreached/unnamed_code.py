"""Code of the backend that nothing names. A project that other programs load by its entry points runs what
these name, what that names in turn, and what upstream asks for; the rest of it does not run. Here any mention
counts, an annotation or a part of a text too: what becomes of a value is asked by ``named_as_value``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.model import Class, Function
from syncbot.api.remembered_answers import remembered
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.model import Place

#: So many names of names are followed.
_STEPS = 3
#: A name that more modules have is not followed.
_FEW = 12
#: What finds definitions without their names.
SEARCHES = ("getmembers(", "iter_modules(", "walk_packages(", "globals()[", "__subclasses__(")
#: Decorators that hand on what they decorate to nobody.
_PLAIN = re.compile(
    r"(?:\w+\.)*(?:dataclass|final|cache|lru_cache|total_ordering|runtime_checkable|property|cached_property"
    r"|staticmethod|classmethod|abstractmethod|override|no_grad|inference_mode)(?:\(.*\))?"
)
#: Bases outside all trees that call no method of what derives from them.
_QUIET = re.compile(r"(?:\w+\.)*(?:object|ABC|Generic|Protocol|NamedTuple)(?:\[.*\])?")


def is_unnamed(place: Place, pair: Comparison) -> bool:
    """Whether a place stands in a class, function or method that nothing which runs names. Always false where
    no entry points are known, and where the backend looks for definitions otherwise than by name."""
    name, _, rest = place.scope.partition(".")
    if not name or not pair.loaded or place.module in pair.tests:
        return False
    if pair.own_tree.mentioning(pair.own_tree.modules, *SEARCHES):
        return False
    if _is_left(place.module, name, pair, _STEPS):
        return True
    method = rest.partition(".")[0]
    return bool(method) and _is_left_method(place.module, name, method, pair)


def _is_left(module: str, name: str, pair: Comparison, steps: int) -> bool:
    """Whether nothing that runs names what a module defines at its top level."""
    found = pair.new.local(module, name) if steps and name else None
    if found is None or found.module != module or found.kind not in ("class", "function"):
        return False
    if not _is_plain(found) or any(target.rpartition(".")[2] == name for target in pair.loaded):
        return False
    if found.kind == "class" and _may_be_loaded(found, pair):
        return False
    named = _named_in(pair.own_tree, name)
    if named is None or _is_exported(module, name, pair.own_tree):
        return False
    return all(
        (place, outer) == (module, name) or _is_left(place, outer, pair, steps - 1)
        for place, outer, _ in named
    )


def _may_be_loaded(class_: Symbol, pair: Comparison) -> bool:
    """Whether a class is kept by its base, or derives from upstream's, and users name it in settings."""
    if pair.new.member(class_, "__init_subclass__") is not None:
        return True
    bases = pair.new.lineage(class_).classes[1:]
    return any(pair.new.tree_of(base.module) is not pair.own_tree for base in bases)


def _is_left_method(module: str, class_: str, method: str, pair: Comparison) -> bool:
    """Whether neither the backend nor upstream names a method of a class, which nothing else may call."""
    found = pair.new.local(module, class_)
    if found is None or found.kind != "class" or (method.startswith("__") and method.endswith("__")):
        return False
    own = [n for n in pair.new.defined(found, method) if isinstance(n, Function)]
    if not own or not all(_PLAIN.fullmatch(d) for n in own for d in n.decorators):
        return False
    if not all(_QUIET.fullmatch(base) for base in pair.new.lineage(found).external):
        return False
    named = _named_in(pair.own_tree, method)
    # What hands on to the next one of its name only runs where it is asked for itself.
    if named is None or any(inner != method for _, _, inner in named):
        return False
    return not any(_spelled(tree, method) for tree in (pair.own_tree, pair.new_tree)) and not _has(
        pair.new_tree, method
    )


def _is_plain(found: Symbol) -> bool:
    decorators = (d for n in found.nodes if isinstance(n, Class | Function) for d in n.decorators)
    return all(_PLAIN.fullmatch(d) for d in decorators)


def _has(tree: ModuleTree, name: str) -> bool:
    """Whether a word stands anywhere in a tree."""
    word = re.compile(rb"\b%s\b" % re.escape(name.encode()))
    modules = tree.mentioning(tree.modules, name)
    tree.note(modules)
    return any(word.search(tree.source(module) or b"") for module in modules)


def _spelled(tree: ModuleTree, method: str) -> bool:
    """Whether a tree puts together names that begin as a method's does: ``f"visit_{kind}"``."""
    cut = method.find("_", 1) + 1
    starts = [f"{quote}{method[:cut]}{end}" for quote in "\"'" for end in ("{", quote, "%")] if cut else []
    return bool(starts) and bool(tree.mentioning(tree.modules, *starts))


def _is_exported(module: str, name: str, tree: ModuleTree) -> bool:
    """Whether a package imports a name for others, by itself or with all of its module, or a module lists it
    as public."""
    last = module.rpartition(".")[2]
    for other in tree.mentioning(tree.modules, name, f"{last} import *"):
        source = tree.source(other) or b""
        if re.search(rb"^__all__\b[^\n]*=[^\]]*[\"']%s[\"']" % name.encode(), source, re.MULTILINE):
            return True
        entry = tree.modules[other][0]
        if entry.endswith("__init__.py") and (other == module or _imports(source, last, name)):
            return True
    return False


@remembered(2048)
def _imports(source: bytes, module: str, name: str) -> bool:
    tree = parsed(source)
    return any(
        isinstance(node, ast.ImportFrom)
        and any(
            alias.name == name or (alias.name == "*" and (node.module or "").rpartition(".")[2] == module)
            for alias in node.names
        )
        for node in (every_node(tree) if tree is not None else ())
    )


def _named_in(tree: ModuleTree, name: str) -> list[tuple[str, str, str]] | None:
    """Where a tree names something: module, definition around it at the top level and in that, empty where
    it runs with the module; None where that cannot be told."""
    modules = tree.mentioning(tree.modules, name)
    if len(modules) > _FEW:
        return None
    tree.note(modules)
    found: list[tuple[str, str, str]] = []
    for module in modules:
        places = _places(tree.source(module) or b"", name)
        if places is None:
            return None
        found += ((module, *place) for place in places)
    return found


@remembered(2048)
def _places(source: bytes, name: str) -> tuple[tuple[str, str], ...] | None:
    tree = parsed(source)
    return None if tree is None else tuple(dict.fromkeys(_in_body(tree, name)))


def _in_body(tree: ast.Module, name: str) -> Iterator[tuple[str, str]]:
    word = re.compile(rf"\b{re.escape(name)}\b")
    for outer, node in _parts(tree):
        inside = _parts(node) if isinstance(node, ast.ClassDef) and outer else [("", node)]
        for inner, part in inside:
            if any(_names(n, name, word) for n in every_node(part)):
                yield outer, inner


def _parts(around: ast.Module | ast.ClassDef) -> Iterator[tuple[str, ast.AST]]:
    """The statements of a body, each with the name of what it defines, and apart from that what runs as soon
    as it is defined: decorators and defaults."""
    for statement in around.body:
        if not isinstance(statement, FunctionNode | ast.ClassDef):
            yield "", statement
            continue
        yield from (("", decorator) for decorator in statement.decorator_list)
        if isinstance(statement, FunctionNode):
            given = (*statement.args.defaults, *statement.args.kw_defaults)
            yield from (("", default) for default in given if default is not None)
        yield statement.name, statement
    if isinstance(around, ast.ClassDef):
        yield from (("", base) for base in (*around.bases, *around.keywords))


def _names(node: ast.AST, name: str, word: re.Pattern[str]) -> bool:
    match node:
        case ast.Name(id=found) | ast.Attribute(attr=found) | ast.keyword(arg=found):
            return found == name
        case ast.Constant(value=str(text)):
            return word.search(text) is not None
    return False
