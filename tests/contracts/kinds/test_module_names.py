"""Names of modules and classes that the backend reads with a dot, and members that are set on some paths."""

from __future__ import annotations

from tests.contracts.world import contracts


def test_uses_are_told_apart() -> None:
    backend = "from lib.a import Box\n\n\ndef g(b: Box):\n    b.n = b.f() + b.n\n"
    found = contracts("class Box:\n    n = 1\n    def f(self): ...\n", backend)
    shown = {(c.symbol, getattr(c, "use", "")) for c in found if c.kind == "attribute"}
    assert shown == {("lib.a.Box.n", "write"), ("lib.a.Box.n", "read"), ("lib.a.Box.f", "call")}
