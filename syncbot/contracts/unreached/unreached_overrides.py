"""Code of the backend that nobody runs: an override that is only ever asked for by its base class's name."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.methods import is_classmethod, is_static
from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.api.usage import UsageTables
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.behind_imports import is_behind_import
from syncbot.contracts.conditions.failed_already import failed_before
from syncbot.contracts.conditions.false_guards import is_turned_off
from syncbot.contracts.conditions.guards import compares_version, may_run
from syncbot.contracts.conditions.import_fallbacks import is_fallback
from syncbot.contracts.conditions.signature_tests import lacks_parameter
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Finding, Place, Verdict
from syncbot.contracts.unreached.unimported_modules import is_unimported
from syncbot.contracts.unreached.unnamed_code import is_unnamed

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
    return all(v is not None and may_run(place.guards, v, package) for v in pair.versions)


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
