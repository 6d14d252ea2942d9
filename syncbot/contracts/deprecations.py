"""Upstream names that the backend uses and that upstream begins to call deprecated: they work still."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.deprecation_notices import WORD, notices
from syncbot.api.symbols import Member, Symbol
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding


def of_member(contract: Contract, old: Member, new: Member, pair: Comparison) -> Iterator[Finding]:
    """Yield what upstream newly says of a member of a class."""
    before, after = (Symbol("", m.owner.module, f"{m.owner.qualname}.{m.name}") for m in (old, new))
    yield from newly_deprecated(contract, before, after, pair)


def newly_deprecated(
    contract: Contract, before: Symbol, after: Symbol | None, pair: Comparison
) -> Iterator[Finding]:
    """Yield what upstream says of a definition that it did not say so of, in its own words."""
    if after is None or not before.qualname or not after.qualname or after.module not in pair.changed:
        return
    if not pair.new_tree.mentioning((after.module,), WORD):
        return
    pair.new_tree.note((after.module,))
    words = notices(pair.new_tree.source(after.module) or b"").get(after.qualname)
    if words is None:
        return
    pair.old_tree.note((before.module,))
    if before.qualname in notices(pair.old_tree.source(before.module) or b""):
        return
    reason = f"{before.name} is deprecated now" + (f"; upstream says: {words}" if words else "")
    yield Finding(
        contract, ChangeKind.DEPRECATED, before.name, Ground.NOT_MEANT, reason,
        subject=before.qualname.rpartition(".")[2],
    )  # fmt: skip
