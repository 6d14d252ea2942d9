"""Code of the backend that nobody runs: an override that is only ever asked for by its base class's name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted, expression, string
from syncbot.api.methods import is_classmethod, is_static
from syncbot.api.statement_parts import leaves_by_error
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree
from syncbot.api.usage import UsageTables
from syncbot.contracts.attributes.doubts import is_sure_to_lack
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.failed_already import failed_before
from syncbot.contracts.conditions.guards import compares_version, may_run
from syncbot.contracts.conditions.import_fallbacks import is_fallback
from syncbot.contracts.conditions.signature_tests import lacks_parameter
from syncbot.contracts.conditions.tried_imports import CAUGHT, caught, names_imported, works
from syncbot.contracts.conditions.unhelped_imports import leaves_a_gap
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.named_values import named_in
from syncbot.contracts.model import Finding, Place, Verdict
from syncbot.contracts.unreached.unimported_modules import is_unimported
from syncbot.contracts.unreached.unnamed_code import is_unnamed

# What a test does not hold for, as it is written.
_FALSE = ("None", "False", "0", "''", "()", "[]", "{}")


def is_turned_off(place: Place, pair: Comparison) -> bool:
    """Whether a test around a place is seen to hold in the old tree, and to fail in the new one."""
    for guard in place.guards:
        kind, _, test = guard.partition(" ")
        for name, attribute, wanted in _tests(test, kind == "if") if kind in ("if", "else") else ():
            before = _has(place, name, attribute, pair.in_old)
            if before is wanted and _has(place, name, attribute, pair.in_new) is (not wanted):
                return True
            if wanted and before and _has_lost(place, name, attribute, pair):
                return True
    return False


@lru_cache(maxsize=4096)
def _tests(test: str, holds: bool) -> tuple[tuple[str, str, bool], ...]:
    """The dotted names and attributes that a condition asks for, each with what the answer has to be."""
    return tuple(_asked(expression(test), holds)) if "hasattr(" in test or "getattr(" in test else ()


def _asked(node: ast.expr | None, holds: bool) -> list[tuple[str, str, bool]]:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _asked(operand, not holds)
        case ast.BoolOp(op=kind, values=values) if isinstance(kind, ast.And) is holds:
            return [told for value in values for told in _asked(value, holds)]
        case ast.Call(func=ast.Name(id="hasattr" | "getattr"), args=[owner, name, *_]):
            asked, attribute = dotted(owner), string(name)
            # What stands for a missing attribute may be true as well.
            plain = len(node.args) == 2 or ast.unparse(node.args[2]) in _FALSE
            return [(asked, attribute, holds)] if asked and attribute and plain else []
    return []


def _has(place: Place, name: str, attribute: str, inference: Inference) -> bool | None:
    """Whether something has an attribute in a tree, None where that cannot be told."""
    universe = inference.universe
    owner = universe.local(place.module, name)
    if owner is not None and owner.kind in ("module", "class"):
        return _answer(universe.attribute(owner, attribute))
    found = named_in(inference, place.module, place.scope, name)
    if found is None or not found.instance:
        return None
    if universe.member(found.symbol, attribute) is not None:
        return True
    return None if universe.is_open(found.symbol) else False


def _has_lost(place: Place, name: str, attribute: str, pair: Comparison) -> bool:
    """Whether an object whose class had an attribute is sure to have none any more."""
    before, after = (named_in(i, place.module, place.scope, name) for i in (pair.in_old, pair.in_new))
    if before is None or after is None or not before.instance or not after.instance:
        return False
    return is_sure_to_lack(attribute, before.symbol, after.symbol, pair)


def _answer(found: Symbol | None) -> bool | None:
    return None if found is not None and found.kind == "unknown" else found is not None


_ALL = CAUGHT | {"BaseException"}


def is_behind_import(place: Place, pair: Comparison) -> bool:
    """Whether an import before a place, in the same ``try``, fails with one of the two upstreams alone, and
    what asks for it goes well without."""
    if not any(guard.startswith("try ") for guard in place.guards):
        return False
    tree = parsed(pair.own_tree.source(place.module))
    line = place.location.line
    return any(
        isinstance(node, ast.Try)
        and any(map(_goes_on, node.handlers))
        and (failing := _failing_before(node.body, line, pair)) is not None
        and not leaves_a_gap(_at(place, failing), tree, pair.own_tree)
        for node in (every_node(tree) if tree is not None else ())
    )


def _goes_on(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches what a failing import raises, and neither raises nor ends the program."""
    if handler.type is not None and caught(handler).isdisjoint(_ALL):
        return False
    return not any(map(leaves_by_error, every_node(handler)))


def _at(place: Place, statement: ast.stmt) -> Place:
    return replace(place, location=replace(place.location, line=statement.lineno))


def _failing_before(body: Sequence[ast.stmt], line: int, pair: Comparison) -> ast.stmt | None:
    """The import that fails among some statements, before the line of one of them."""
    if not any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in body):
        return None
    before = (s for s in body if (s.end_lineno or s.lineno) < line)
    return next((s for s in before if any(_fails(name, pair) for name in names_imported([s]))), None)


def _fails(name: str, pair: Comparison) -> bool:
    return works(pair.old, name) is not works(pair.new, name)


# What keeps code from running, and how that is said.
_NOT_RUN = (
    (is_turned_off, "; the same change turns off the test around this"),
    (lacks_parameter, "; the test for a parameter around this fails"),
    (is_fallback, "; the import that this stands in for works"),
    (is_behind_import, "; an import before it fails, which is caught"),
)


def settled(finding: Finding, pair: Comparison) -> Finding:
    """The finding, no more than a risk where the code that it stands in is not seen to run."""
    if finding.verdict is not Verdict.BREAKS:
        return finding
    place = finding.contract.place
    told = next((why for is_so, why in _NOT_RUN if is_so(place, pair)), None)
    if told is not None:
        return finding.doubted(Ground.TESTED_FOR, told)
    failed = failed_before(place, pair)
    if failed is not None:
        why = f"; an import before it fails with the old version already ({failed})"
        return finding.doubted(Ground.TESTED_FOR, why)
    package = finding.symbol.partition(".")[0]
    if compares_version(place.guards, package) and not _runs_on_both(place, package, pair):
        return finding.doubted(Ground.DOUBTED, "; it stands under a test of the version")
    if is_unnamed(place, pair):
        return finding.doubted(Ground.DOUBTED, "; nothing is seen to name what this stands in")
    if is_unimported(place.module, pair):
        return finding.doubted(Ground.DOUBTED, "; nothing is seen to import the module that this stands in")
    if not is_unreached(place, pair):
        return finding
    return finding.doubted(Ground.DOUBTED, "; nothing is seen to call the method that this stands in")


def _runs_on_both(place: Place, package: str, pair: Comparison) -> bool:
    """Whether the comparisons of the version around a place hold on both sides."""
    helpers = pair.helpers()
    return all(v is not None and may_run(place.guards, v, package, helpers) for v in pair.versions)


def is_unreached(place: Place, pair: Comparison) -> bool:
    """Whether a place stands in a static or class method that overrides upstream's and is never reached."""
    name, _, rest = place.scope.partition(".")
    method = rest.partition(".")[0]
    own = pair.new.local(place.module, name) if method else None
    if own is None or own.kind != "class" or own.module != place.module:
        return False
    mine, base = pair.new.member(own, method), pair.new.member(own, method, 1)
    if mine is None or not any(is_static(f) or is_classmethod(f) for f in mine.functions):
        return False
    if mine.owner.name != own.name or base is None:
        return False
    if pair.new.tree_of(base.owner.module) is not pair.new_tree:
        return False
    inside = f"{own.qualname}.{method}"
    here = list(_receivers(pair.own_tree, pair.own_usage, method, pair, own.module, inside))
    there = list(_receivers(pair.new_tree, pair.new_usage, method, pair))
    return bool(there) and all(_is_another(found, own, pair) for found in (*here, *there))


def _receivers(
    tree: ModuleTree, usage: UsageTables, method: str, pair: Comparison, module: str = "", inside: str = ""
) -> Iterator[Symbol | None]:
    """Yield what a method is asked for of, None if unknown; what ``inside`` asks its own base for is left
    out."""
    for reader in usage.readers(tuple(m for m in tree.modules if m not in pair.tests), method):
        for chain in usage.chains(reader):
            written, _, last = chain.rpartition(".")
            if last == method:
                found = pair.new.local(reader, written) if "?" not in written else None
                if reader == module and written == "?" and _only_by_super(usage, reader, method, inside):
                    continue
                yield found


def _only_by_super(usage: UsageTables, module: str, method: str, inside: str) -> bool:
    calls = [c for _, c in usage.calls((module,), method) if c.callee == f"super().{method}"]
    return bool(calls) and all(c.scope == inside for c in calls)


def _is_another(found: Symbol | None, own: Symbol, pair: Comparison) -> bool:
    """Whether what is asked for the method is a class, and neither the backend's one nor one made of it."""
    if found is None or found.kind != "class" or pair.shadows.takes_the_name(found.name):
        return False
    return all(c.name != own.name for c in pair.new.lineage(found).classes)
