"""The facts of one commit: what changed, where, from what to what, and who used it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

#: What makes a caller of a function fail.
BREAKING_PARTS = frozenset({"removed", "required", "now-required", "keyword-only", "reordered"})
#: What makes a user of a name fail, if the old name leads nowhere.
BREAKING = frozenset(
    {
        *(f"{what}-removed" for what in ("module", "function", "class", "method", "variable", "export")),
        *("attribute-removed", "field-removed", "assignment-removed"),
        *("module-moved", "symbol-moved", "symbol-renamed"),
    }
)


@dataclass(frozen=True, slots=True)
class Change:
    """One fact. ``kind`` is one of :class:`syncbot.api.differences.Difference`, ``module-added``,
    ``-removed`` or ``-moved``; ``symbol-moved`` or ``-renamed`` (same body); ``export-removed``;
    ``environment-``, ``option-``, ``registry-``, ``registration-``, ``operator-``, ``kernel-`` or
    ``requirement-`` with ``added``, ``removed`` or ``changed``. ``symbol`` is the full dotted name (of what
    moved, the new one), ``file`` its path now, else before. ``before`` and ``after`` are source text or, of
    what moved, full names. ``parts`` as in ``Difference``; of a module, what it defines. ``users`` are the
    upstream modules that imported what is gone; ``kept``: the old name still leads there."""

    kind: str
    symbol: str
    file: str
    before: str | None = None
    after: str | None = None
    parts: tuple[tuple[str, str], ...] = ()
    users: tuple[str, ...] = ()
    kept: bool = False

    @property
    def public(self) -> bool:
        """Whether no part of the name is private by its leading underscore."""
        name = self.before if self.kind in ("symbol-moved", "symbol-renamed") and self.before else self.symbol
        return not any(p.startswith("_") and not p.endswith("__") for p in name.split("."))

    @property
    def breaking(self) -> bool:
        """Whether somebody's import, call or read of the old state fails; values are no such thing."""
        if self.kind == "signature":
            return any(what in BREAKING_PARTS for what, _ in self.parts)
        return self.kind in BREAKING and not self.kept


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts of one commit, those of one file together."""

    changes: tuple[Change, ...] = ()

    def of(self, *kinds: str) -> tuple[Change, ...]:
        """The changes of some kinds."""
        return tuple(c for c in self.changes if c.kind in kinds)

    def breaking(self) -> Counter[str]:
        """The number of public changes of each kind that can fail somebody."""
        return Counter(c.kind for c in self.changes if c.public and c.breaking)
