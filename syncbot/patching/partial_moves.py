"""Moving some uses of a symbol to another symbol, while others stay: the imports follow."""

from __future__ import annotations

from collections.abc import Iterable

from syncbot.patching import imports
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.imports import Binding
from syncbot.patching.node_text import chain, root
from syncbot.patching.source import Edits, Source
from syncbot.patching.whole_moves import WholeMove


def move_uses(source: Source, edits: Edits, old: str, new: str, nodes: Iterable[cst.BaseExpression]) -> None:
    """Let expressions that stand for ``old`` stand for ``new``. Raises CannotRewrite if its name is taken."""
    _PartialMove(source, edits, old, new).move(nodes)


class _PartialMove(WholeMove):
    def __init__(self, source: Source, edits: Edits, old: str, new: str) -> None:
        super().__init__(source, old, new)
        self._edits = edits

    def move(self, nodes: Iterable[cst.BaseExpression]) -> None:
        through: dict[tuple[int, ...], tuple[list[Binding], list[cst.BaseExpression]]] = {}
        for node in nodes:
            bindings = imports.bindings_of(self._source, node, self._old)
            if bindings:
                key = tuple(id(binding.alias) for binding in bindings)
                through.setdefault(key, (bindings, []))[1].append(node)
        for (binding, *others), found in through.values():
            if isinstance(binding.statement, cst.ImportFrom) and binding.target == self._old:
                self._imported([binding, *others], found)
            elif self._under_old(binding.target):
                self._require_one([binding, *others])
                self._modules(binding, found)
            elif self._old_parent == self._new_parent:
                for node in found:
                    assert isinstance(node, cst.Attribute)
                    self._edits.replace(node.attr, cst.Name(self._new_name))
            else:
                self._require_one([binding, *others])
                self._uses_through(binding, [node for node in found if isinstance(node, cst.Attribute)])

    def _imported(self, bindings: list[Binding], nodes: list[cst.BaseExpression]) -> None:
        """Uses of a name that from-imports bind, one on each way to them."""
        here = {root(node) for node in nodes}
        everything = all(imports.uses(self._source, binding) <= here for binding in bindings)
        names = {self._known(binding) for binding in bindings}
        known = names.pop() if len(names) == 1 else None
        if known is None and not self._new_parent:
            raise CannotRewrite(f"{self._source.path}: {self._new} is no name of a module: import it by hand")
        for binding in bindings:
            if known is not None:
                if everything:
                    self._drop(binding)
            elif everything:
                statement = binding.statement
                assert isinstance(statement, cst.ImportFrom)
                self._move_name(statement, binding.alias)
            else:
                self._beside(binding)
        if known is not None or not everything:
            for node in nodes:
                self._edits.replace(node, chain(known or self._new_name))

    def _beside(self, binding: Binding) -> None:
        """Import the new name behind the statement that imports the old one."""
        scope = self._source.scopes.get(binding.statement)
        if scope is not None and self._new_name in scope:
            raise CannotRewrite(
                f"{self._source.path}: {self._new_name} already means something else: rename that first"
            )
        new = imports.import_from(self._new_parent, cst.ImportAlias(cst.Name(self._new_name)))
        self._add_after(binding.statement, new)

    def _modules(self, binding: Binding, nodes: list[cst.BaseExpression]) -> None:
        """Uses of a module by its whole dotted name, or by a local one of ``import a.b as c``."""
        everything = imports.uses(self._source, binding) <= {root(node) for node in nodes}
        reached = self._bound_already(self._new)
        if reached is not None:
            if everything:
                self._drop(binding)
        elif everything:
            self._retarget(binding.alias, self._new)
            reached = self._new if binding.plain else None
        else:
            self._add_after(binding.statement, cst.Import([cst.ImportAlias(chain(self._new))]))
            reached = self._new
        if reached is not None:
            for node in nodes:
                self._edits.replace(node, chain(reached))

    def _known(self, binding: Binding) -> str | None:
        """The local name of the new symbol, where the import of the old one stands."""
        index = self._source.index
        here = index.around[binding.statement]
        for statement in index.imports:
            if index.around[statement] == here[: len(index.around[statement])]:
                for other in imports.bindings(statement):
                    if other.target == self._new and not other.plain:
                        return other.local
        return None
