"""The functions of upstream that the guilty commit may have changed."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.universe import Universe
from syncbot.impact.model import Impact
from syncbot.planning.function_facts import functions_of
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine


def changed_functions(
    context: PlanningContext, impact: Impact, text: str
) -> Iterator[tuple[str, str, Routine, Routine]]:
    """The functions in changed modules that said a text: module, dotted name, the function before the guilty
    commit and after it; none where the commit is not known."""
    ends = context.guilty(impact)
    return _changed(context, ends, text) if ends is not None else iter(())


def changed_in_range(context: PlanningContext, text: str) -> Iterator[tuple[str, str, Routine, Routine]]:
    """The same, before the whole range and after it, which may have changed much beside."""
    return _changed(context, context.ends, text)


def _changed(
    context: PlanningContext, ends: tuple[Universe, Universe], text: str
) -> Iterator[tuple[str, str, Routine, Routine]]:
    old, new = ends[0].trees[0], ends[1].trees[0]
    changed = [m for m, entry in old.modules.items() if m in new.modules and new.modules[m][1] != entry[1]]
    for module in old.mentioning(sorted(changed), text):
        was, now = (context.upstream_tree(universe, module) for universe in ends)
        after = dict(functions_of(now)) if now is not None else {}
        for qualname, routine in functions_of(was) if was is not None else ():
            if qualname in after:
                yield module, qualname, routine, after[qualname]
