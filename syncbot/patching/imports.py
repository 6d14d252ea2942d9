"""Reading and building import statements."""

from __future__ import annotations

import re
from dataclasses import dataclass

from syncbot.patching import comma_lists
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.node_text import chain, imported_module, imported_names, root
from syncbot.patching.source import Source


@dataclass(frozen=True, slots=True)
class Binding:
    """One name of an import statement: the dotted upstream name it stands for, and the text it is used by."""

    statement: cst.Import | cst.ImportFrom
    alias: cst.ImportAlias
    target: str
    local: str

    @property
    def plain(self) -> bool:
        """Whether it is ``import a.b`` without ``as``: used by its whole dotted name."""
        return isinstance(self.statement, cst.Import) and self.alias.asname is None


def bindings(statement: cst.Import | cst.ImportFrom) -> list[Binding]:
    """Return what an absolute import statement binds; nothing for relative and star imports."""
    prefix = ""
    if isinstance(statement, cst.ImportFrom):
        module = imported_module(statement)
        if module is None:
            return []
        prefix = f"{module}."
    return [
        Binding(statement, alias, f"{prefix}{alias.evaluated_name}", _local(alias))
        for alias in imported_names(statement)
    ]


def _local(alias: cst.ImportAlias) -> str:
    return alias.evaluated_alias or alias.evaluated_name


def bindings_of(source: Source, expression: cst.CSTNode, wanted: str) -> list[Binding]:
    """The imports through which an expression may reach ``wanted``, in their order."""
    first = root(expression)
    if not isinstance(first, cst.Name):
        return []
    found = []
    for assignment in source.bindings(first):
        statement = assignment.node if isinstance(assignment, cst.ImportAssignment) else None
        for binding in bindings(statement) if isinstance(statement, (cst.Import, cst.ImportFrom)) else ():
            if binding.local.partition(".")[0] == first.value and _within(wanted, binding.target):
                found.append(binding)
    nearest = max((len(binding.target) for binding in found), default=0)
    order = {id(statement): at for at, statement in enumerate(source.index.imports)}
    kept = {id(b.alias): b for b in found if len(b.target) == nearest}
    return sorted(kept.values(), key=lambda b: order[id(b.statement)])


def _within(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(f"{prefix}.") or prefix.startswith(f"{name}.")


def uses(source: Source, binding: Binding) -> set[cst.CSTNode]:
    """Return the first names of all expressions that use a binding, quoted annotations as their string."""
    found: set[cst.CSTNode] = set()
    for _, assignment in source.import_assignments():
        if assignment.node is binding.statement and assignment.name == binding.local:
            found.update(root(access.node) for access in assignment.references)
    return found


def renamed(alias: cst.ImportAlias, name: str) -> cst.ImportAlias:
    """Return an alias of a from-import that imports another name and binds the same one as before."""
    before = alias.evaluated_name
    local = _local(alias)
    if local == name and (alias.asname is None or before != name):
        return alias.with_changes(name=cst.Name(name), asname=None)
    asname = alias.asname or cst.AsName(cst.Name(local))
    return alias.with_changes(name=cst.Name(name), asname=asname)


def import_from(module: str, alias: cst.ImportAlias) -> cst.ImportFrom:
    """Return ``from module import alias``."""
    return cst.ImportFrom(chain(module), [alias.with_changes(comma=cst.MaybeSentinel.DEFAULT)])


def without(statement: cst.ImportFrom, name: cst.ImportAlias) -> cst.ImportFrom:
    """Return the statement without one of its names (recognised by its text)."""
    names = imported_names(statement)
    key = (name.evaluated_name, name.evaluated_alias)
    at = next(i for i, a in enumerate(names) if (a.evaluated_name, a.evaluated_alias) == key)
    return statement.with_changes(names=comma_lists.remove(names, at))


def with_name(statement: cst.ImportFrom, alias: cst.ImportAlias) -> cst.ImportFrom:
    """Return the statement with one name more: in isort's order if it has that, else at the end."""
    names = imported_names(statement)
    keys = [_order(a.evaluated_name) for a in names]
    key = _order(alias.evaluated_name)
    at = len(names) if keys != sorted(keys) else sum(k <= key for k in keys)
    opening: cst.BaseParenthesizableWhitespace = cst.SimpleWhitespace(" ")
    if statement.lpar is not None:
        opening = statement.lpar.whitespace_after
    alias = alias.with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return statement.with_changes(names=comma_lists.insert(names, at, alias, opening))


def _order(name: str) -> tuple[object, ...]:
    """isort's key: constants, then classes, then the rest, each in natural order."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    natural = tuple((p.isdigit(), int(p) if p.isdigit() else 0, p) for p in re.split(r"(\d+)", name.lower()))
    return kind, natural, name
