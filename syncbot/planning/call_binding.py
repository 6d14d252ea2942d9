"""A call of ours that upstream's change meets: what it binds to before and now, and what it passes."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from syncbot.api.local_literals import spelled_out
from syncbot.api.signatures import Arguments, Signature
from syncbot.contracts.calls.targets import CallContract
from syncbot.impact.model import Impact, Location
from syncbot.planning.argument_values import Surroundings
from syncbot.planning.call_arguments import hides, shown_arguments
from syncbot.planning.enclosing_function import Precedent
from syncbot.planning.function_facts import parameters
from syncbot.planning.model import Author
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine, SyntaxFile, callee

#: Why a call cannot be bound anew.
HIDDEN = "the call passes * or **, or did not bind before either"
#: The same of one whose ``**`` is known: another argument belongs where that is written.
FILLED = "the call passes a dictionary that is written before it: mend what is put in there"


@dataclass(frozen=True)
class Binding:
    """A call of ours that is bound anew: what it binds to before and now, what it passes by parameter."""

    impact: Impact
    context: PlanningContext
    around: Surroundings
    call: ast.Call
    old: Signature
    new: Signature
    bound: dict[str, ast.expr]

    @cached_property
    def precedent(self) -> Precedent | None:
        """How upstream makes the same call in the same place."""
        called = {callee(self.call), *_names(self.impact.symbol)} - {"__init__"}
        symbol = self.impact.symbol.removesuffix(".__init__")
        return self.around.precedent(called, self.old, self.new, symbol)

    @property
    def required(self) -> set[str]:
        """The parameters that the call has to have a value for; what it does not show may be in what it hands
        on."""
        own = parameters(self.around.routine) if self.around.routine is not None else []
        return {p.name for p in self.new.parameters if p.required and (not hides(self.call) or p.name in own)}

    def still_takes(self, name: str) -> bool:
        """Whether there is a parameter of that name now."""
        return name in self.new.names or any(p.name == name for p in self.new.positional)


def binding_at(impact: Impact, place: Location, context: PlanningContext) -> Binding | Author | None:
    """The call at a place; None where there is none, and why it cannot be bound anew."""
    found = context.contracts_at(place, CallContract)
    contract = found[0] if found and impact.contract == "call" else None
    call = call_at(impact, contract, place, context)
    if call is None:
        return None
    signatures = context.signatures(impact, contract)
    if signatures is None:
        return Author("what is called has several signatures, or none that can be seen")
    syntax = context.syntax(place.file)
    if syntax is not None and _names_of(_spelled_out(call, syntax)) != _names_of(call):
        return Author(FILLED)
    old, new = signatures
    bound = shown_arguments(call, old)
    around = Surroundings(context, place.file, call)
    lacks = not hides(call) and any(p.required and p.name not in (bound or {}) for p in old.parameters)
    if bound is None or lacks:
        bound = around.handed_on_by_name(call)
    return Author(HIDDEN) if bound is None else Binding(impact, context, around, call, old, new, bound)


def call_at(
    impact: Impact, contract: CallContract | None, place: Location, context: PlanningContext
) -> ast.Call | None:
    """The call of a contract, or the innermost one at a place whose name is that of the symbol."""
    syntax = context.syntax(place.file)
    if syntax is None:
        return None
    for call in syntax.calls_around(place):
        if contract is None:
            if callee(call) in _names(impact.symbol):
                return call
        elif (call.lineno, call.col_offset) == (place.line, place.column - 1):
            given, told = Arguments.of(_spelled_out(call, syntax)), contract.arguments
            if (given.positional, given.keywords) == (told.positional, told.keywords):
                return call
    return None


def _spelled_out(call: ast.Call, syntax: SyntaxFile) -> ast.Call:
    return spelled_out(call, next((n for n in syntax.around(call) if isinstance(n, Routine)), None))


def _names_of(call: ast.Call) -> list[str | None]:
    return [keyword.arg for keyword in call.keywords]


def _names(symbol: str) -> set[str]:
    """The names that a call of a symbol is written with: the class or its initialiser for one."""
    parts = symbol.split(".")
    return {parts[-1]} if parts[-1] != "__init__" else {parts[-2], "__init__"}
