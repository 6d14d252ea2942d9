"""Whether the questions that were asked of one upstream tree have the same answers in another one. A file of
the backend whose questions (:func:`syncbot.api.tree.look`) all have the same answers has the same contracts
there. Answers leave out lines and bodies; for bodies there is a question of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from syncbot.api.model import Attribute, Class, Function, ModuleTable
from syncbot.api.remembered_answers import remembered
from syncbot.api.statement_lines import StatementLines, digest_of
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree, look, module_changes, searched
from syncbot.contracts.normalised_bodies import statements

_BODY = "="


def body_look(module: str, qualname: str) -> str:
    """The question for the statements of a function of that qualified name."""
    return look(module, f"{_BODY}{qualname}")


def other_answers(looks: Iterable[str], before: ModuleTree, after: ModuleTree) -> set[str]:
    """Those of some questions whose answers differ between two trees."""
    changed = module_changes(before, after)
    concerned = (asked for asked in looks if asked.partition(":")[0] in changed)
    return {asked for asked in concerned if not _same(asked, before, after)}


def own_answer(asked: str, tree: ModuleTree) -> object:
    """Return what the backend's own tree answers to a question. Finders may read its classes and functions in
    whole: bodies are part of the answer, and of a class all its members."""
    module, separator, name = asked.partition(":")
    if searches := searched(asked):
        found: Iterable[str] = tree.modules
        for texts in searches:
            found = tree.mentioning(found, *texts)
        return [
            (module, _statements_with(tree.source(module) or b"", tuple(searches[0]))) for module in found
        ]
    name = name.removeprefix(_BODY)
    table = tree.table(module) if separator else None
    if table is None:
        return tree.modules.get(module), _standing(module, tree)
    *owners, last = name.split(".")
    nodes = (node for scope in _scopes(table, owners) for node in _inside(scope) if node.name == last)
    return _answer(module, name, tree), tuple(map(_entire, nodes))


@remembered(512)
def _statements_with(source: bytes, texts: tuple[str, ...]) -> str:
    """A digest of the statements of a module in which one of some texts stands."""
    tree, lines = parsed(source), StatementLines(source)
    if tree is None:
        return digest_of([source])
    told = (b"\n".join(lines.of(statement)) for statement in tree.body)
    wanted = [text.encode() for text in texts]
    return digest_of(said for said in told if any(text in said for text in wanted))


def _same(asked: str, before: ModuleTree, after: ModuleTree) -> bool:
    module, separator, name = asked.partition(":")
    if not separator:
        return before.modules.get(module) == after.modules.get(module) and _standing(
            module, before
        ) == _standing(module, after)
    if name.startswith(_BODY):
        return _bodies(module, name[1:], before) == _bodies(module, name[1:], after)
    return _answer(module, name, before) == _answer(module, name, after)


def _standing(module: str, tree: ModuleTree) -> tuple[bool, bool, bool]:
    return module in tree.modules, tree.exists(module), tree.is_package(module)


def _answer(module: str, name: str, tree: ModuleTree) -> tuple[object, ...]:
    """All that a module says of a name at its top level, and that importers may depend on; of
    ``Class.member``, what the class's body says of the member, of ``Class.*`` all it says."""
    standing = _standing(module, tree)
    if not name:
        return standing
    table = tree.table(module)
    if table is None:
        return standing
    *owners, last = name.split(".")
    nodes = tuple(
        _shown(node) if last != "*" else _whole(node)
        for scope in _scopes(table, owners)
        for node in _inside(scope)
        if last in ("*", node.name)
    )
    if owners:
        return nodes
    exported = None if table.exports is None else name in table.exports
    imports = tuple(
        (item.module, item.name, item.local, item.level, item.scope)
        for item in table.imports
        if item.local == name or item.name == "*"
    )
    given = tuple(_shown(node) for node in table.given if node.name.rpartition(".")[2] == name)
    return (*standing, table.dynamic, table.problem is None, exported, imports, nodes, given)


def _shown(node: Class | Function | Attribute) -> tuple[object, ...]:
    """A definition without lines; a function without its body, a class without its members."""
    if isinstance(node, Attribute):
        return (node.name, node.annotation, node.value, node.origin, node.guards)
    if isinstance(node, Function):
        return (
            *(node.name, node.parameters, node.annotation, node.decorators, node.guards, node.is_async),
            *(node.is_generator, node.abstract, node.unimplemented, node.returned, node.result),
        )
    told = (node.grafts, node.choices, tuple(map(_shown, node.filled)))
    return (node.name, node.bases, node.keywords, node.decorators, node.guards, *told)


def _whole(node: Class | Function | Attribute) -> tuple[object, ...]:
    inner = tuple(map(_whole, _inside(node))) if isinstance(node, Class) else ()
    return (_shown(node), inner)


def _entire(node: Class | Function | Attribute) -> tuple[object, ...]:
    body = node.body if isinstance(node, Function) else ""
    inner = tuple(map(_entire, _inside(node))) if isinstance(node, Class) else ()
    return (_shown(node), body, inner)


def _inside(scope: ModuleTable | Class) -> Sequence[Class | Function | Attribute]:
    variables = scope.variables if isinstance(scope, ModuleTable) else scope.attributes
    return (*variables, *scope.functions, *scope.classes)


def _scopes(table: ModuleTable, owners: Sequence[str]) -> Sequence[ModuleTable | Class]:
    scopes: list[ModuleTable | Class] = [table]
    for owner in owners:
        scopes = [c for scope in scopes for c in scope.classes if c.name == owner]
    return scopes


def _bodies(module: str, qualname: str, tree: ModuleTree) -> tuple[tuple[str, ...], ...]:
    table, source = tree.table(module), tree.source(module)
    if table is None or source is None:
        return ()
    *owners, name = qualname.split(".")
    return tuple(
        statements(source, function.line, function.end_line)
        for scope in _scopes(table, owners)
        for function in scope.functions
        if function.name == name
    )
