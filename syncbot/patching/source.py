"""One source text with what rewrites ask of it: tree, index of nodes, qualified names. All is computed on
first use and kept: several rewrites share one parse. Edits print no node anew that they do not touch."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from syncbot.patching import lazy_libcst as cst
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.node_text import Definition, dotted

if TYPE_CHECKING:
    from syncbot.patching.node_edits import Edit, Index, Replacement
    from syncbot.patching.toplevel_names import PlainNames

# libcst drops these when they stand first in a file; they are cut off and put back.
_LEADING = "\ufeff\x0c"


class Edits:
    """Changes of one tree, each tied to a node; a function gets the node as earlier edits left it."""

    def __init__(self) -> None:
        self._edits: dict[cst.CSTNode, list[Edit]] = {}

    def __bool__(self) -> bool:
        return bool(self._edits)

    def change(self, node: cst.CSTNode, edit: Edit) -> None:
        """Pass the node through a function when its children are done."""
        self._edits.setdefault(node, []).append(edit)

    def update(self, node: cst.CSTNode, **fields: object) -> None:
        """Give the node other values of some fields."""
        self.change(node, lambda updated: updated.with_changes(**fields))

    def replace(self, node: cst.CSTNode, new: Replacement) -> None:
        """Put another node in the place of this one."""
        self.change(node, lambda _: new)

    def applied(self, module: cst.Module) -> cst.Module:
        """Return the changed tree."""
        from syncbot.patching.node_edits import Editor

        result = module.visit(Editor(module, self._edits))
        assert isinstance(result, cst.Module)
        return result


class Source:
    """A source text and, on demand, its tree. Raises CannotRewrite where that is not valid Python."""

    def __init__(self, text: str, path: str = "<source>") -> None:
        self.text = text
        self.path = path
        body = text.lstrip(_LEADING)
        self.leading = text[: len(text) - len(body)]

    def forget(self) -> None:
        """Let go of the tree, which is many times larger than the text; it is made again on demand."""
        for made in [name for name in vars(self) if name not in ("text", "path", "leading")]:
            del vars(self)[made]

    @cached_property
    def module(self) -> cst.Module:
        """The tree."""
        return self._wrapper.module

    @cached_property
    def _wrapper(self) -> cst.MetadataWrapper:
        try:
            module = cst.parse_module(self.text[len(self.leading) :])
        except cst.ParserSyntaxError as error:
            raise CannotRewrite(f"{self.path}{_mistake(self.text)}; fix the file first") from error
        return cst.MetadataWrapper(module, unsafe_skip_copy=True)

    @cached_property
    def index(self) -> Index:
        """The nodes that rewrites look for."""
        from syncbot.patching.node_edits import Index

        return Index(self.module)

    @cached_property
    def _plain(self) -> PlainNames:
        from syncbot.patching.toplevel_names import PlainNames

        return PlainNames(self.module, self.index)

    @cached_property
    def scopes(self) -> Mapping[cst.CSTNode, cst.Scope | None]:
        """The scope of every node, from libcst."""
        scopes: Mapping[cst.CSTNode, cst.Scope | None] = self._wrapper.resolve(cst.ScopeProvider)
        return scopes

    def qualified(self, node: cst.CSTNode) -> frozenset[str]:
        """Return the dotted names that an expression may stand for; empty where it is not a plain name."""
        found = self._plain.qualified(node)
        if found is not None:
            return found
        return frozenset() if dotted(node) is None else self._in_scope(node, node)

    def defined(self, node: Definition) -> frozenset[str]:
        """Return the dotted names that the name of a class or function may stand for where it is defined."""
        found = self._plain.qualified(node.name)
        return self._in_scope(node, node.name) if found is None else found

    def _in_scope(self, place: cst.CSTNode, name: cst.CSTNode) -> frozenset[str]:
        scope = self.scopes.get(place)
        return (
            frozenset() if scope is None else frozenset(n.name for n in scope.get_qualified_names_for(name))
        )

    def bindings(self, name: cst.Name) -> tuple[cst.BaseAssignment, ...]:
        """Return what may bind a name at the place where it stands."""
        scope = self.scopes.get(name)
        return () if scope is None else tuple(sorted(scope[name.value], key=lambda a: a.name))

    def import_assignments(self) -> Iterator[tuple[cst.Scope, cst.ImportAssignment]]:
        """Yield every imported name with its scope."""
        for scope in dict.fromkeys(scope for scope in self.scopes.values() if scope is not None):
            for assignment in scope.assignments:
                if isinstance(assignment, cst.ImportAssignment):
                    yield scope, assignment

    def local_assignments(self, function: cst.FunctionDef, name: str) -> list[cst.Assignment]:
        """Return the bindings of a name made in exactly the scope of a function."""
        from syncbot.patching import tree_walk

        if not tree_walk.mentions(function, name):
            return []  # most do not, and scopes are dear
        scope = self.scopes.get(function.body)
        return (
            []
            if scope is None
            else [a for a in scope.assignments if isinstance(a, cst.Assignment) and a.name == name]
        )

    def edited(self, edits: Edits) -> str:
        """Return the text after the edits."""
        return self.leading + edits.applied(self.module).code

    def rewritten(self, edits: Edits, otherwise: str) -> str:
        """Return the text after the edits. Raises NoMatch, which says ``otherwise``, where there are none."""
        if not edits:
            raise NoMatch(f"{self.path}: {otherwise}")
        return self.edited(edits)


def _mistake(text: str) -> str:
    """Where and why a text is not valid Python, in the words of Python's own parser."""
    try:
        ast.parse(text)
    except SyntaxError as error:
        return f":{error.lineno}: not valid Python: {error.msg}"
    except ValueError as error:
        return f": not valid Python: {error}"
    return ": its syntax is not known to libcst"
