"""Writing a derived override into a file: upstream's function, edited, with the imports that it needs."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Sequence

import libcst as cst

from syncbot.api.every_node import every_node
from syncbot.deriving.model import Derivation
from syncbot.deriving.original import Origin, Original
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.free_names import free_names, with_imports
from syncbot.patching.node_text import code
from syncbot.patching.source import Edits, Source

_BUILTIN = frozenset(dir(builtins)) | {"__name__", "__file__"}


def written(derivation: Derivation, original: Original, text: str) -> str:
    """Return the file's text with the override in it. Raises NoMatch, CannotRewrite with its id."""
    try:
        return _written(derivation, original, text)
    except (NoMatch, CannotRewrite) as error:
        raise type(error)(f"derived {derivation.id}: {original.symbol}: {error}") from error


def _written(derivation: Derivation, original: Original, text: str) -> str:
    owner, _, name = derivation.name.rpartition(".")
    function = original.function()
    before = free_names(code(function))
    function = _own(function, original)
    for change in derivation.edits:
        try:
            function = change.build().applied(function)
        except (NoMatch, CannotRewrite) as error:
            raise type(error)(f"edit {change.edit} finds no place: {error}") from error
    function = function.with_changes(name=cst.Name(name), leading_lines=())
    needed = free_names(code(function))
    here = Original("", text, derivation.name).origins()
    origins = original.origins()
    imports: list[Origin] = []
    quoted: set[str] = set()
    for used in sorted(needed - _BUILTIN):
        theirs = origins.get(used) if used in before or used == original.owner else None
        if theirs is None:
            if used not in here:
                raise CannotRewrite(
                    f"the edits use {used}, which {derivation.file} does not define: import it there"
                )
        elif used not in here:
            imports.append(theirs)
        elif here[used].target.lstrip(".") != theirs.target:
            raise CannotRewrite(
                f"upstream's {used} is {theirs.target}, but {derivation.file} has another {used}: "
                "rename yours, or add an edit swap_name"
            )
        if (theirs is not None and theirs.typing_only) or (used in here and here[used].typing_only):
            quoted.add(used)
    if quoted:
        function = _quoted(function, quoted)
        if running := quoted & free_names(code(function)):
            raise CannotRewrite(f"{min(running)} is imported only for type checkers, but the body uses it")
    return _put(derivation, text, owner, function, imports)


def _own(function: cst.FunctionDef, original: Original) -> cst.FunctionDef:
    """The function as a subclass can have it: its super() is still that of the class it comes from."""
    text = code(function)
    if re.search(r"\b__class__\b", text):
        raise CannotRewrite("it uses __class__, which means another class here: replace it by an edit")
    if any(isinstance(node, ast.Global) for node in every_node(ast.parse(text))):
        raise CannotRewrite("it assigns to a global name of its module, which has no effect here")
    if original.owner is None:
        return function
    if private := re.search(r"\.(__\w*[^\W_]_?)(?!\w)", text):
        raise CannotRewrite(f"it uses {private[1]}, which is private to {original.owner}")
    first = function.params.posonly_params or function.params.params
    visitor = _Super(original.owner, first[0].name.value if first else None)
    return cst.ensure_type(function.visit(visitor), cst.FunctionDef)


class _Super(cst.CSTTransformer):
    def __init__(self, owner: str, first: str | None) -> None:
        super().__init__()
        self._owner, self._first = owner, first

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        plain = isinstance(original_node.func, cst.Name) and original_node.func.value == "super"
        if not plain or original_node.args:
            return updated_node
        if self._first is None:
            raise CannotRewrite("it calls super() but has no parameter such as self")
        return cst.ensure_type(cst.parse_expression(f"super({self._owner}, {self._first})"), cst.Call)


def _quoted(function: cst.FunctionDef, names: set[str]) -> cst.FunctionDef:
    """Annotations of the signature that hold one of the names, as strings: it exists for checkers alone."""

    class Quoting(cst.CSTTransformer):
        def leave_Annotation(
            self, original_node: cst.Annotation, updated_node: cst.Annotation
        ) -> cst.Annotation:
            text = code(original_node.annotation)
            words = {n.id for n in every_node(ast.parse(text, mode="eval")) if isinstance(n, ast.Name)}
            if not words & names:
                return updated_node
            literal = '"' + text.replace('"', "").replace("'", "") + '"'
            return updated_node.with_changes(annotation=cst.SimpleString(literal))

    return cst.ensure_type(function.visit(Quoting()), cst.FunctionDef)


def _put(
    derivation: Derivation, text: str, owner: str, function: cst.FunctionDef, imports: list[Origin]
) -> str:
    """The text with the function at the end of its class or module; every other byte stays."""
    source = Source(text, derivation.file)
    body: Sequence[cst.CSTNode] = source.module.body
    if owner:
        classes = [node for node in source.index.classes if node.name.value == owner]
        if len(classes) != 1:
            raise NoMatch(f"{derivation.file} has {len(classes)} classes {owner}")
        body = classes[0].body.body
    if any(isinstance(n, cst.FunctionDef) and n.name.value == function.name.value for n in body):
        raise CannotRewrite(f"{derivation.file} has a {derivation.name} of its own: remove one of them")
    comment = cst.Comment(f"# Derived from upstream's function by the declaration {derivation.id}.")
    gap = [cst.EmptyLine(indent=False)] * (1 if owner else 2)
    function = function.with_changes(leading_lines=[*gap, cst.EmptyLine(comment=comment)])
    edits = Edits()
    if owner:
        block = classes[0].body
        edits.change(block, lambda node: node.with_changes(body=[*node.body, function]))
        return _imported(source.edited(edits), imports)
    module = source.module.with_changes(body=[*source.module.body, function])
    return _imported(source.leading + module.code, imports)


def _imported(text: str, imports: list[Origin]) -> str:
    """The text with import statements behind its own; those for type checkers under a condition."""
    plain = {origin.statement() for origin in imports if not origin.typing_only}
    return with_imports(text, plain, {origin.statement() for origin in imports if origin.typing_only})
