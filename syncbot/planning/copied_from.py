"""The upstream function that one of ours was copied from, where no class and no monkey-patch says so."""

from __future__ import annotations

import ast
from collections.abc import Collection

from syncbot.api.every_node import every_node
from syncbot.contracts.normalised_bodies import resemblance
from syncbot.planning.function_facts import calls_of, functions_of
from syncbot.planning.planning_context import PlanningContext, UpstreamFunction
from syncbot.planning.syntax_file import Routine

# Below this, two functions that call the same thing are two functions.
_ALIKE = 0.6


def copied_from(
    context: PlanningContext, ours: Routine, names: Collection[str], symbol: str
) -> tuple[UpstreamFunction, UpstreamFunction] | None:
    """The function of the same name beside an upstream symbol that says nearly the same and calls one of
    these names, before the range and after it; None where there are none, or several."""
    old, new = context.pair.old, context.pair.new
    home, later = old.resolve(symbol), context.pair.now(symbol)
    if home is None or later is None:
        return None
    was, now = context.upstream_tree(old, home.module), context.upstream_tree(new, later.module)
    if was is None or now is None:
        return None
    text = _statements(ours)
    alike = {
        qualname: node
        for qualname, node in functions_of(was)
        if node.name == ours.name and calls_of(node, names) and resemblance(text, _statements(node)) >= _ALIKE
    }
    found = [node for qualname, node in functions_of(now) if qualname in alike]
    if len(alike) != 1 or len(found) != 1:
        return None
    (qualname, node), *_ = alike.items()
    owner = qualname.rpartition(".")[0]
    before = old.resolve(f"{home.module}.{owner}") if owner else None
    after = new.resolve(f"{later.module}.{owner}") if owner else None
    was_there = UpstreamFunction(home.module, before, node)
    return was_there, UpstreamFunction(later.module, after, found[0])


def _statements(routine: Routine) -> list[str]:
    simple = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Assert)
    return [ast.unparse(n) for n in every_node(routine) if isinstance(n, simple)]
