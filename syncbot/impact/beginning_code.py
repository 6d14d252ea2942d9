"""Code that a test of the version keeps from running on the old version and lets run on the new one: what it
relies on did not change, and may never have been there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
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
from syncbot.contracts.conditions.turned_off_spans import Span, span_of
from syncbot.contracts.discovery import FileFinder, gated_code
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import audit_of
from syncbot.contracts.sources import SourceFile
from syncbot.impact.trees import Trees


def beginning(trees: Trees, pair: Comparison) -> Iterator[Finding]:
    """What the code that begins to run relies on and the new tree does not have."""
    before, after = (
        gated_code(trees.backend, universe, trees.packages, trees.knowledge, version)
        for universe, version in zip((pair.old, pair.new), pair.versions, strict=True)
    )
    files = [
        file
        for file in trees.backend.files
        if not file.is_test and before.spans(file.path) != after.spans(file.path)
    ]
    if not files:
        return
    known = {(c.place.location, message) for c, message in _lacking(trees, files, pair.old, before)}
    begun = {file.path: _begun(file, before.spans(file.path), after.spans(file.path)) for file in files}
    for contract, message in _lacking(trees, files, pair.new, after):
        location = contract.place.location
        at = (location.line, location.column - 1)
        if (location, message) in known or not any(span.holds(at) for span in begun[location.file]):
            continue
        if not _is_given(contract, trees, pair):
            ground = Ground.CALL_DOES_NOT_BIND if isinstance(contract, CallContract) else Ground.NOT_DEFINED
            yield Finding(
                contract, ChangeKind.BRANCH_UNMET, contract.symbol, ground,
                f"{message}, and what is written here begins to run with this version", subject=message,
            )  # fmt: skip


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
    trees: Trees, files: Sequence[SourceFile], universe: Universe, gated: GatedCode
) -> Iterator[tuple[Contract, str]]:
    """What a tree lacks of what runs there, in words."""
    texts = {file.path: replace(file, text=decided(file.text, gated.spans(file.path))) for file in files}
    own = replace(trees.backend, files=tuple(texts.get(file.path, file) for file in trees.backend.files))
    finder = FileFinder(own, universe, trees.packages, trees.knowledge, trees.own_names())
    for file in texts.values():
        try:
            contracts = finder.found(file, {ast.Attribute: [absent_attributes]}).contracts
        except RecursionError:
            # Nested too deeply to be walked: that is told of the file.
            continue
        for contract in contracts:
            audit = None if gated.is_off(contract.place.location) else audit_of(contract)
            messages = list(audit(contract, universe)) if audit is not None else []
            # What is only done where upstream is seen to have it may be left out.
            if not any(asks_for_key(contract.place.guards, message.split()[-1]) for message in messages):
                yield from ((contract, message) for message in messages)


def _begun(file: SourceFile, before: Sequence[Span], after: Sequence[Span]) -> list[Span]:
    """What of a file is off before and not after, and the plain statements around a choice that is decided
    otherwise."""
    tree = parsed(file.text)
    changed = {*before} ^ {*after}
    begun = [span for span in before if span in changed]
    for node in every_node(tree) if tree is not None else ():
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            whole = span_of([node])
            begun += [whole] if any(whole.holds(span.start) and whole != span for span in changed) else []
    return begun
