"""Methods that the project overrides and that upstream calls from another function than before."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from syncbot.api.model import Function
from syncbot.api.symbols import Node, Symbol
from syncbot.api.syntax import parse
from syncbot.contracts.comparison import Comparison, Side
from syncbot.contracts.overrides.callers import may_be_asked_of
from syncbot.contracts.overrides.upstream_tests import is_test
from syncbot.upgrade.model import Topic, Way
from syncbot.upgrade.registry import Draft, noticer
from syncbot.upgrade.used_names import UsedName

# A name that more functions call says too little about whose method they mean.
_FEW = 3
# They look at a name, and call nothing.
_ASKING = ("getattr", "hasattr", "setattr", "delattr")


@noticer
def other_caller(used: UsedName, pair: Comparison) -> Iterator[Draft]:
    """One function calls it no longer, another one does: the moment of the call may differ."""
    if used.after is None or not used.relied_on(Way.OVERRIDDEN) or not used.after.functions:
        return
    was, now = (_callers(symbol, pair, old) for symbol, old in ((used.before, True), (used.after, False)))
    if not 0 < len(was) <= _FEW or not 0 < len(now) <= _FEW:
        return
    lost = [name for name in was if name not in now and _is_there(name, pair)]
    gained = [name for name in now if name not in was]
    if not lost or not gained or {_last(name) for name in lost} & {_last(name) for name in gained}:
        return
    notice = used.noticed(
        Topic.BEHAVIOURAL,
        "caller",
        Way.OVERRIDDEN,
        before=_listed(was[name] for name in lost),
        after=_listed(now[name] for name in gained),
    )
    home = was[lost[0]]
    yield Draft(notice, pair.new.resolve(home.name) or home, _bodies)


def _callers(method: Symbol, pair: Comparison, old: bool) -> Mapping[str, Symbol]:
    """The functions of the modules that differ which call a method, or have it called by its name."""
    side = pair.side(old=old)
    class_ = side.universe.resolve(method.name.rpartition(".")[0])
    if class_ is None or class_.kind != "class":
        return {}
    name = method.name.rpartition(".")[2]
    scopes = [
        (module, call.scope)
        for module, call in side.usage.calls(side.differing, name)
        if not call.callee.startswith("super()") and may_be_asked_of(class_, module, call, side.inference)
    ]
    scopes += _by_text(name, side)
    found = (side.universe.local(module, scope) for module, scope in scopes if scope and not is_test(module))
    return {each.name: each for each in found if each is not None and each.functions}


def _by_text(name: str, side: Side) -> Iterator[tuple[str, str]]:
    """The functions that hand the name on as a text, each with its module: ``everybody("name")``."""
    for module in side.tree.mentioning(side.differing, f'"{name}"', f"'{name}'"):
        source = side.tree.source(module)
        with suppress(SyntaxError, ValueError, RecursionError):
            for scope, call in _calls(parse(source or b""), ""):
                first = call.args[0] if call.args else None
                asks = isinstance(call.func, ast.Name) and call.func.id in _ASKING
                if isinstance(first, ast.Constant) and first.value == name and not asks:
                    yield module, scope


def _calls(node: ast.AST, scope: str) -> Iterator[tuple[str, ast.Call]]:
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.Call):
            yield scope, inner
        below = scope
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            below = f"{scope}.{inner.name}" if scope else inner.name
        yield from _calls(inner, below)


def _is_there(name: str, pair: Comparison) -> bool:
    return not pair.vanished(pair.new.resolve(name))


def _listed(functions: Iterable[Symbol]) -> str:
    return ", ".join(sorted(function.qualname or function.name for function in functions))


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _bodies(nodes: Sequence[Node]) -> Hashable:
    return tuple(node.body for node in nodes if isinstance(node, Function))
