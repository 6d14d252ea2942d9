"""Variables that a copy of an upstream function has by names of its own, told by what both pass to calls.

Where both functions call the same things, each once, and ours passes one variable of its own wherever
upstream's passes a certain one, that variable is what upstream's is. One such call may be chance: two have to
say so, and none may speak against it. Calls that upstream changed are left out: their places have moved.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from syncbot.api.every_node import every_node
from syncbot.planning.function_facts import binding, names, parameters
from syncbot.planning.syntax_file import Routine

# So many calls have to pass it.
_WITNESSES = 2


def corresponding(
    name: str, theirs: Routine, before: Routine, ours: Routine, same: Callable[[ast.expr], bool]
) -> str | None:
    """Return our variable for one of upstream's function; None where there is none, or no such proof.

    ``before`` is upstream's function as it was; ``same`` says whether what is called means the same here.
    """
    said = [
        (one.id, other)
        for called, passed, mine in _pairs(theirs, before, ours)
        if same(called)
        for one, other in zip(passed, mine, strict=True)
        if isinstance(one, ast.Name)
    ]
    found = {other.id if isinstance(other, ast.Name) else "" for one, other in said if one == name}
    witnesses = sum(one == name for one, _ in said)
    if len(found) != 1 or witnesses < _WITNESSES or len(binding(theirs, name)) != 1:
        return None
    mine = found.pop()
    others = {one for one, other in said if isinstance(other, ast.Name) and other.id == mine}
    set_anew = sum(n.id == mine and not isinstance(n.ctx, ast.Load) for n in names(ours))
    return mine if others == {name} and set_anew + (mine in parameters(ours)) == 1 else None


def _pairs(
    theirs: Routine, before: Routine, ours: Routine
) -> Iterator[tuple[ast.expr, list[ast.expr], list[ast.expr]]]:
    """Yield each callee that all call once, with upstream's and our arguments in places that both fill."""
    was, mine = _calls(before), _calls(ours)
    for text, calls in _calls(theirs).items():
        if not len(calls) == len(was.get(text, ())) == len(mine.get(text, ())) == 1:
            continue
        passed, given = _places(calls[0]), _places(mine[text][0])
        if passed.keys() != _places(was[text][0]).keys():
            continue
        both = [place for place in passed if place in given]
        yield calls[0].func, [passed[place] for place in both], [given[place] for place in both]


def _calls(routine: Routine) -> dict[str, list[ast.Call]]:
    found: dict[str, list[ast.Call]] = {}
    for node in every_node(routine):
        if isinstance(node, ast.Call):
            found.setdefault(ast.unparse(node.func), []).append(node)
    return found


def _places(call: ast.Call) -> dict[int | str, ast.expr]:
    """The arguments of a call by place or name, as far as no star hides where they go."""
    placed: dict[int | str, ast.expr] = {}
    for number, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            break
        placed[number] = argument
    return placed | {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
