"""Dictionaries and tuples that a function writes out, names, and passes on by that name with stars."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import FunctionNode, string
from syncbot.api.handed_on import items
from syncbot.api.returned_literals import returning

_READING = {"get", "keys", "values", "items", "copy"}
_ADDING = {"update", "setdefault", "append"}
# So many dictionaries are followed into one another.
_DEEPEST = 4
# A condition of which nothing is known.
_SOME = ast.Constant(None)
# What callers pass by names that nobody sees here.
_UNKNOWN = ast.Constant(None)

_Item = tuple[str | None, ast.expr]


@dataclass(slots=True)
class _Filled:
    """The contents of a dictionary: the keys that it has for sure, those that it may have, with the
    condition, and whether it may have any others."""

    known: dict[str, ast.expr] = field(default_factory=dict)
    perhaps: dict[str, tuple[ast.expr, ast.expr]] = field(default_factory=dict)
    open: bool = False

    def take(self, added: Iterable[_Item], sure: bool, test: ast.expr = _SOME) -> None:
        """Put in what is added, for sure or on a condition; a key of None stands for any others."""
        for key, value in added:
            if key is None:
                self.open = True
            elif sure:
                self.known[key] = value
            elif key not in self.known:
                self.perhaps[key] = (value, test)

    def drop(self, key: str | None) -> None:
        """Something is taken out, or anything (None): what goes in before or after that is in it perhaps."""
        for name in [key] if key is not None else [*self.known]:
            if name in self.known:
                self.perhaps[name] = (self.known.pop(name), _SOME)

    def literal(self, variable: ast.expr) -> ast.Dict:
        """The dictionary as one display, where ``**({key: value} if … else {})`` is what it may have."""
        parts: list[tuple[ast.expr | None, ast.expr]] = [*_shown(self.known)]
        perhaps = {key: told for key, told in self.perhaps.items() if key not in self.known}
        for key, (value, test) in perhaps.items():
            given, nothing = ast.Dict([ast.Constant(value=key)], [value]), ast.Dict([], [])
            parts.append((None, ast.IfExp(test=test, body=given, orelse=nothing)))
        if self.open:
            parts.append((None, variable))
        return ast.Dict([key for key, _ in parts], [value for _, value in parts])


def local_literal(
    node: ast.expr | None, function: FunctionNode | None, depth: int = 0, owner: ast.ClassDef | None = None
) -> ast.expr | None:
    """An expression, or the literal that the local variable is which it names, with what is put into it later
    on: of a dictionary to which anything may be added, ``{**literal, **variable}``. One that anything else
    may happen to stays as it is. In a method of ``owner``, also what another one gives, or the class has."""
    if owner is not None and (method := returning(node, owner)) is not None and depth <= _DEEPEST:
        given = _filled(method.value, method.function, depth + 1, owner)
        made = local_literal(method.value, method.function, depth + 1, owner) if given is None else None
        known = given.literal(method.value) if given is not None else made
        return known if isinstance(known, ast.Dict) else node
    if not isinstance(node, ast.Name) or function is None or depth > _DEEPEST:
        return node
    parents = {child: parent for parent in every_node(function) for child in children(parent)}
    uses = _uses(node.id, function, parents)
    if uses is None or len(uses.given) != 1:
        return node
    statement, value = uses.given[0]
    if isinstance(value, ast.Tuple | ast.List):
        return _lengthened(value, node, statement, uses, parents) if not uses.taken else node
    filled = _filled(value, function, depth, owner)
    if filled is None:
        return node
    for name in uses.adding:
        sure = _is_sure(name, node, statement, parents)
        filled.take(_added(name, parents), sure, _SOME if sure else _test_of(name, node, statement, parents))
    for key in uses.taken:
        filled.drop(key)
    return filled.literal(node)


def _lengthened(
    value: ast.Tuple | ast.List,
    use: ast.Name,
    given: ast.stmt,
    uses: _Uses,
    parents: Mapping[ast.AST, ast.AST],
) -> ast.expr:
    """A literal with what is appended to it in each run; the variable where anything else happens to it."""
    elements = [*value.elts]
    for name in uses.adding:
        match parents[parents[name]]:
            case ast.Call(func=ast.Attribute(attr="append"), args=[ast.expr() as one], keywords=[]) if (
                _is_sure(name, use, given, parents) and not isinstance(one, ast.Starred)
            ):
                elements.append(one)
            case _:
                return use
    return ast.List(elts=elements) if uses.adding else value


def untouched(name: str, function: FunctionNode) -> ast.expr | None:
    """The one expression that a local variable is given, where nothing may change what it holds."""
    parents = {child: parent for parent in every_node(function) for child in children(parent)}
    uses = _uses(name, function, parents)
    if uses is None or uses.adding or uses.taken or len(uses.given) != 1:
        return None
    return uses.given[0][1]


@dataclass(slots=True)
class _Uses:
    """The statements that give a variable a value, with that, where something may be put into it, and the
    keys that are taken out."""

    given: list[tuple[ast.stmt, ast.expr]] = field(default_factory=list)
    adding: list[ast.Name] = field(default_factory=list)
    taken: list[str | None] = field(default_factory=list)


def _uses(name: str, function: FunctionNode, parents: Mapping[ast.AST, ast.AST]) -> _Uses | None:
    """Return the uses of a variable in a function; None for a parameter other than ``**name``, which is a
    dictionary of its own, or where anything else may happen to the variable."""
    uses = _Uses()
    for inner, parent in parents.items():
        if isinstance(inner, ast.arg) and inner.arg == name:
            if inner is not function.args.kwarg:
                return None
            uses.given.append((function.body[0], ast.Dict([None], [_UNKNOWN])))
        if not isinstance(inner, ast.Name) or inner.id != name:
            continue
        match parent:
            case ast.Assign(targets=[ast.Name()], value=value) if value is not inner:
                uses.given.append((parent, value))
            case ast.AnnAssign(value=ast.expr() as value) if value is not inner:
                uses.given.append((parent, value))
            case ast.Subscript(ctx=ast.Store()):
                uses.adding.append(inner)
            case ast.Attribute(attr=attr) if attr in _ADDING:
                uses.adding.append(inner)
            case ast.Attribute(attr="pop"):
                uses.taken.append(_taken(parent, parents[parent]))
            case ast.Subscript(ctx=ast.Del(), slice=key):
                uses.taken.append(string(key))
            case _ if not _only_reads(inner, parent):
                return None
    return uses


def _taken(method: ast.Attribute, around: ast.AST) -> str | None:
    """The key that a call of ``pop`` takes out, None for any."""
    match around:
        case ast.Call(func=called, args=[key, *_]) if called is method:
            return string(key)
    return None


def _only_reads(variable: ast.Name, parent: ast.AST) -> bool:
    """Whether what a variable stands in leaves as it is what the variable holds."""
    match parent:
        case ast.Dict(keys=keys, values=values):
            # As ``**variable``; what holds the dictionary itself may fill it.
            return all(key is None for key, value in zip(keys, values, strict=True) if value is variable)
        case ast.Attribute(attr=attr):
            return attr in _READING
        case ast.Subscript(ctx=context):
            return isinstance(context, ast.Load)
        case ast.BinOp(op=operator):
            return isinstance(operator, ast.BitOr)
    return isinstance(parent, ast.keyword | ast.Starred | ast.Compare)


def _filled(
    value: ast.expr, function: FunctionNode | None, depth: int, owner: ast.ClassDef | None
) -> _Filled | None:
    """Return the initial contents of a dictionary; None for an expression that is not known to be one."""
    filled = _Filled()
    match value:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            filled.take(_all_items(left, function, depth, owner), True)
            filled.take(_all_items(right, function, depth, owner), True)
        case ast.Dict() | ast.Call(func=ast.Name(id="dict"), args=[]):
            filled.take(_all_items(value, function, depth, owner), True)
        case _:
            return None
    return filled


def _all_items(
    node: ast.expr, function: FunctionNode | None, depth: int, owner: ast.ClassDef | None
) -> Iterator[_Item]:
    """Yield the items of a dictionary, with those of the dictionaries unpacked into it."""
    known = local_literal(node, function, depth + 1, owner)
    for key, value in items(known if known is not None else node):
        inner = local_literal(value, function, depth + 1, owner) if key is None else None
        if isinstance(inner, ast.Dict) and inner is not known:
            yield from items(inner)
        else:
            yield key, value


def _added(name: ast.Name, parents: Mapping[ast.AST, ast.AST]) -> Iterator[_Item]:
    """Yield the items put into a dictionary where its name precedes a subscript or method."""
    what = parents[name]
    match parents[what]:
        case ast.Assign(targets=[target], value=value) if target is what and isinstance(what, ast.Subscript):
            yield string(what.slice), value
        case ast.Call(func=ast.Attribute(attr="setdefault"), args=[key, value]):
            yield string(key), value
        case ast.Call(func=ast.Attribute(attr="update") as func, args=given, keywords=keywords) if (
            func is what
        ):
            yield from (item for other in given for item in items(other))
            yield from ((keyword.arg, keyword.value) for keyword in keywords)
        case _:
            yield None, name


def _is_sure(name: ast.Name, use: ast.Name, given: ast.stmt, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether something is done with a dictionary in each run, after it is made and before it is used."""
    statement: ast.AST = name
    while not isinstance(statement, ast.stmt):
        statement = parents[statement]
    places = [(n.lineno, n.col_offset) for n in (given, statement, use)]
    blocks = (block for _, block in ast.iter_fields(parents[given]) if isinstance(block, list))
    around = next(block for block in blocks if any(one is given for one in block))
    return any(one is statement for one in around) and places == sorted(places)


def _test_of(name: ast.Name, use: ast.Name, given: ast.stmt, parents: Mapping[ast.AST, ast.AST]) -> ast.expr:
    """The conditions on which something is done with a dictionary between where it is made and used."""
    tests: list[ast.expr] = []
    inner: ast.AST = name
    while inner in parents and parents[inner] is not parents[given]:
        around = parents[inner]
        if isinstance(inner, ast.stmt):
            if not isinstance(around, ast.If) or not any(inner is statement for statement in around.body):
                return _SOME
            tests.append(around.test)
        inner = around
    places = [(n.lineno, n.col_offset) for n in (given, name, use)]
    return ast.BoolOp(op=ast.And(), values=tests) if tests and places == sorted(places) else _SOME


def _shown(known: Mapping[str, ast.expr]) -> Iterator[tuple[ast.expr, ast.expr]]:
    yield from ((ast.Constant(value=key), value) for key, value in known.items())


def spelled_out(call: ast.Call, function: FunctionNode | None, owner: ast.ClassDef | None = None) -> ast.Call:
    """A call with stars before what is written out, a dictionary or a tuple, as one with its elements; in a
    method of ``owner``, also what another method gives."""
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    if not starred and not any(keyword.arg is None for keyword in call.keywords):
        return call
    arguments = [one for argument in call.args for one in _elements(argument, function)]
    keywords: list[ast.keyword] = []
    for keyword in call.keywords:
        if keyword.arg is None:
            known = local_literal(keyword.value, function, owner=owner)
            found = items(known) if known is not None else ()
            keywords += [ast.keyword(arg=name, value=value) for name, value in found]
        else:
            keywords.append(keyword)
    return ast.copy_location(ast.Call(func=call.func, args=arguments, keywords=keywords), call)


def _elements(argument: ast.expr, function: FunctionNode | None) -> list[ast.expr]:
    """Return the arguments that one argument passes: the elements of a literal after a star, else itself."""
    known = local_literal(argument.value, function) if isinstance(argument, ast.Starred) else None
    return known.elts if isinstance(known, ast.Tuple | ast.List) else [argument]
