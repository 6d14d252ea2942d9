"""Code that a test of the version keeps from running on the old version and lets run on the new one: what it
relies on did not change, and may never have been there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from syncbot.api.every_node import every_node
from syncbot.api.syntax import parsed
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.absent import AbsentAttributeContract, absent_attributes
from syncbot.contracts.attributes.set_from_outside import outside_setter
from syncbot.contracts.calls.targets import CallContract
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.decided_choices import decided
from syncbot.contracts.conditions.gated_code import GatedCode
from syncbot.contracts.conditions.guards import asks_for_key
from syncbot.contracts.conditions.turned_off_spans import At, Span, span_of
from syncbot.contracts.discovery import gated_code, shown_to
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.kinds.calls import find_calls
from syncbot.contracts.kinds.imports import find_imports
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import Finder, audit_of
from syncbot.contracts.sources import SourceFile
from syncbot.impact.trees import Trees

# Those whose contracts one tree alone keeps or does not.
_FINDERS: Mapping[type[ast.AST], Sequence[Finder]] = {
    ast.Import: [find_imports],
    ast.ImportFrom: [find_imports],
    ast.Call: [find_calls],
    ast.Attribute: [absent_attributes],
}


def beginning(trees: Trees, pair: Comparison) -> Iterator[Finding]:
    """Yield findings for code that begins to run and relies on something that the new tree does not have."""
    if pair.versions[0] == pair.versions[1]:
        return
    before, after = (
        gated_code(trees.backend, universe, trees.packages, trees.knowledge, version)
        for universe, version in zip((pair.old, pair.new), pair.versions, strict=True)
    )
    begun = {
        file: spans
        for file in trees.backend.files
        if not file.is_test and before.spans(file.path) != after.spans(file.path)
        if (spans := _begun(file, before.spans(file.path), after.spans(file.path)))
    }
    lacking = [
        (file, contract, message)
        for file, contract, message in _lacking(trees, begun, pair.new, after)
        if any(span.holds(_place(contract)) for span in begun[file])
    ]
    if not lacking:
        return
    concerned = dict.fromkeys(file for file, _, _ in lacking)
    known = {(c.place.location, told) for _, c, told in _lacking(trees, concerned, pair.old, before)}
    for _, contract, message in lacking:
        if (contract.place.location, message) in known or _is_given(contract, trees, pair):
            continue
        ground = Ground.CALL_DOES_NOT_BIND if isinstance(contract, CallContract) else Ground.NOT_DEFINED
        yield Finding(
            contract, ChangeKind.BRANCH_UNMET, contract.symbol, ground,
            f"{message}, and what is written here begins to run with this version", subject=message,
        )  # fmt: skip


def _place(contract: Contract) -> At:
    location = contract.place.location
    return location.line, location.column - 1


def _is_given(contract: Contract, trees: Trees, pair: Comparison) -> bool:
    """Whether somebody else sets the attribute that is read, on such objects as it may be read of."""
    owner, _, name = contract.symbol.rpartition(".")
    if not isinstance(contract, AbsentAttributeContract):
        return False
    set_here = re.compile(rb"(?<!\bself)\.%s[ \t]*(?::[^=\n]+)?=(?!=)" % re.escape(name.encode()))
    class_ = pair.new.resolve(owner)
    return any(set_here.search(file.text) for file in trees.backend.files) or (
        class_ is not None and class_.kind == "class" and outside_setter(name, class_, pair) is not None
    )


def _lacking(
    trees: Trees, files: Iterable[SourceFile], universe: Universe, gated: GatedCode
) -> Iterator[tuple[SourceFile, Contract, str]]:
    """Yield each file and contract of running code that needs something a tree lacks, with the message."""
    inference = Inference(universe, trees.own_names())
    for file in files:
        text = replace(file, text=decided(file.text, gated.spans(file.path)))
        try:
            contracts = shown_to(_FINDERS, text, inference, trees.packages, trees.knowledge)
        except RecursionError:
            # Nested too deeply to be walked: that is told of the file.
            continue
        for contract in contracts:
            audit = None if gated.is_off(contract.place.location) else audit_of(contract)
            messages = list(audit(contract, universe)) if audit is not None else []
            # What is only done where upstream is seen to have it may be left out.
            if not any(asks_for_key(contract.place.guards, message.split()[-1]) for message in messages):
                yield from ((file, contract, message) for message in messages)


def _begun(file: SourceFile, before: Sequence[Span], after: Sequence[Span]) -> list[Span]:
    """Return the spans of a file that are off before and not after, and the plain statements around a choice
    whose decision changed."""
    tree = parsed(file.text)
    changed = {*before} ^ {*after}
    begun = [span for span in before if span in changed]
    for node in every_node(tree) if tree is not None else ():
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            whole = span_of([node])
            begun += [whole] if any(whole.holds(span.start) and whole != span for span in changed) else []
    return begun
