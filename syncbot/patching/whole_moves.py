"""Moving all uses of a symbol or module to another: its imports, and the uses through a module."""

from __future__ import annotations

from typing import Any

from syncbot.patching import comma_lists, imports
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.imports import Binding
from syncbot.patching.node_text import chain, imported_module, imported_names, root
from syncbot.patching.source import Edits, Source


class WholeMove:
    """Moves the symbol or module ``old`` of one source to ``new``."""

    def __init__(self, source: Source, old: str, new: str) -> None:
        self._source = source
        self._old = old
        self._new = new
        self._old_parent, _, self._old_name = old.rpartition(".")
        self._new_parent, _, self._new_name = new.rpartition(".")
        self._edits = Edits()

    def text(self) -> str:
        """Return the rewritten text. Raises NoMatch."""
        for statement in self._source.index.imports:
            if isinstance(statement, cst.Import):
                self._import(statement)
            else:
                self._import_from(statement)
        self._uses()
        if not self._edits:
            raise NoMatch(f"{self._source.path}: nothing uses {self._old}")
        return self._source.edited(self._edits)

    def _under_old(self, name: str) -> bool:
        return name == self._old or name.startswith(f"{self._old}.")

    def _import(self, statement: cst.Import) -> None:
        for alias in statement.names:
            name = alias.evaluated_name
            if self._under_old(name):
                self._retarget(alias, self._new + name[len(self._old) :])

    def _retarget(self, alias: cst.ImportAlias, name: str) -> None:
        self._edits.change(alias, lambda a: a.with_changes(name=chain(name)))

    def _import_from(self, statement: cst.ImportFrom) -> None:
        module = imported_module(statement)
        if module is None:
            return
        if self._under_old(module):
            moved_to = self._new + module[len(self._old) :]
            self._edits.change(statement, lambda s: s.with_changes(module=chain(moved_to)))
        elif module == self._old_parent and self._new_parent:
            for alias in imported_names(statement):
                if alias.evaluated_name == self._old_name:
                    self._move_name(statement, alias)

    def _move_name(self, statement: cst.ImportFrom, alias: cst.ImportAlias) -> None:
        """Give a name of a from-import its new module, in a statement of its own if others stay."""
        new_alias = imports.renamed(alias, self._new_name)
        alone = len(imported_names(statement)) == 1
        if alone and not self._merged(statement, new_alias):
            parent = self._new_parent
            self._edits.change(statement, lambda s: s.with_changes(module=chain(parent), names=[new_alias]))
        elif not alone:
            self._edits.change(statement, lambda s: imports.without(s, alias))
            self._add_after(
                statement, imports.import_from(self._new_parent, new_alias), comma_lists.comment(alias)
            )

    def _merged(self, statement: cst.ImportFrom, alias: cst.ImportAlias) -> bool:
        """Put the name into the from-import on the line above, if that imports from the new module."""
        index = self._source.index
        line = index.lines.get(statement)
        above = None if line is None else index.previous.get(line)
        if line is None or not isinstance(above, cst.SimpleStatementLine):
            return False
        simple = len(line.body) == 1 and not line.leading_lines and line.trailing_whitespace.comment is None
        host = above.body[0] if len(above.body) == 1 else None
        if not simple or statement.lpar is not None or not isinstance(host, cst.ImportFrom):
            return False
        names = imported_names(host)
        # isort gives every name with "as" a statement of its own.
        if imported_module(host) != self._new_parent or not names or any(n.asname for n in (alias, *names)):
            return False
        self._edits.change(host, lambda s: imports.with_name(s, alias))
        self._edits.replace(line, cst.RemoveFromParent())
        return True

    def _add_after(
        self, statement: cst.CSTNode, new: cst.Import | cst.ImportFrom, comment: cst.Comment | None = None
    ) -> None:
        line = self._source.index.lines.get(statement)
        if line is None or len(line.body) > 1:
            self._edits.change(statement, lambda s: cst.FlattenSentinel([_bare(s), new]))
            return
        spaces = cst.SimpleWhitespace("  " if comment is not None else "")
        behind = cst.TrailingWhitespace(whitespace=spaces, comment=comment)
        extra = cst.SimpleStatementLine([new], trailing_whitespace=behind)
        self._edits.change(line, lambda updated: _followed_by(updated, extra))

    def _uses(self) -> None:
        """Rewrite ``a.b.X``, where a module is imported and the moved name is reached through it."""
        through: dict[int, tuple[Binding, list[cst.Attribute]]] = {}
        for node in self._source.index.attributes:
            if node.attr.value != self._old_name or self._old not in self._source.qualified(node):
                continue
            bindings = imports.bindings_of(self._source, node, self._old)
            if not bindings:
                continue
            binding = bindings[0]
            if self._under_old(binding.target):
                if binding.plain:
                    self._edits.replace(node, chain(self._new))
            elif self._old_parent == self._new_parent:
                self._edits.replace(node.attr, cst.Name(self._new_name))
            else:
                self._require_one(bindings)
                through.setdefault(id(binding.alias), (binding, []))[1].append(node)
        for binding, nodes in through.values():
            self._uses_through(binding, nodes)

    def _require_one(self, bindings: list[Binding]) -> None:
        if len(bindings) > 1:
            raise CannotRewrite(
                f"{self._source.path}: {len(bindings)} imports of {bindings[0].target} reach one use of it: "
                "leave one, above the branches"
            )

    def _uses_through(self, binding: Binding, nodes: list[cst.Attribute]) -> None:
        """Uses by way of an import of a module around the old place."""
        if not self._new_parent:
            return
        everything = imports.uses(self._source, binding)
        here = {root(node) for node in nodes}
        direct = binding.target == self._old_parent
        target = self._bound_already(self._new_parent)
        if everything <= here and direct and (target is None or not binding.plain):
            local = self._swap(binding)
        else:
            if target is None:
                target = self._new_parent
                self._add_after(binding.statement, cst.Import([cst.ImportAlias(chain(self._new_parent))]))
            elif everything <= here:
                self._drop(binding)
            local = target
        for node in nodes:
            self._edits.replace(node, chain(f"{local}.{self._new_name}"))

    def _bound_already(self, module: str) -> str | None:
        """The text by which the file reaches a module at its top level, if it does."""
        index = self._source.index
        for statement in index.imports:
            if index.around[statement]:
                continue
            for binding in imports.bindings(statement):
                if binding.target == module:
                    return binding.local
        return None

    def _swap(self, binding: Binding) -> str:
        """Let the import of the old module import the new one, under the same local name if it has one."""
        if isinstance(binding.statement, cst.Import):
            self._retarget(binding.alias, self._new_parent)
            return self._new_parent if binding.plain else binding.local
        package, _, module = self._new_parent.rpartition(".")
        statement = binding.statement
        if not package:
            whole = cst.Import([cst.ImportAlias(chain(module))])
            if len(imported_names(statement)) == 1:
                self._edits.change(statement, lambda s: whole.with_changes(semicolon=s.semicolon))
            else:
                self._drop(binding)
                self._add_after(statement, whole)
            return module
        mover = WholeMove(self._source, binding.target, self._new_parent)
        mover._edits = self._edits
        mover._move_name(statement, binding.alias)
        return binding.local

    def _drop(self, binding: Binding) -> None:
        statement = binding.statement
        line = self._source.index.lines.get(statement)
        names = imported_names(statement)
        if len(names) == 1:
            alone = line is not None and len(line.body) == 1
            self._edits.replace(line if line is not None and alone else statement, cst.RemoveFromParent())
            return
        at = list(names).index(binding.alias)
        self._edits.change(statement, lambda s: s.with_changes(names=comma_lists.remove(s.names, at)))


def _bare(statement: Any) -> Any:
    """The statement without its own semicolon, so that libcst puts one where it is needed."""
    return statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)


def _followed_by(updated: Any, extra: cst.SimpleStatementLine) -> Any:
    if isinstance(updated, cst.FlattenSentinel):
        return cst.FlattenSentinel([*updated.nodes, extra])
    return cst.FlattenSentinel([updated, extra])
