"""Only the newest values stay."""

from __future__ import annotations

from syncbot.api.recently_used import RecentlyUsed


def test_the_oldest_goes() -> None:
    kept = RecentlyUsed[str, int](2)
    assert kept.get("a") is None
    assert [kept.put(key, value) for value, key in enumerate("ab", 1)] == [1, 2]
    assert kept.get("a") == 1
    kept.put("c", 3)
    assert (kept.get("a"), kept.get("b"), kept.get("c"), len(kept)) == (1, None, 3, 2)
    kept.put("c", 4)
    assert (kept.get("a"), kept.get("c"), len(kept)) == (1, 4, 2)
