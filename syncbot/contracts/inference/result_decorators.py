"""Which decorators leave what a function returns as it is."""

from __future__ import annotations

from collections.abc import Iterable

from syncbot.api.expressions import last_name

_SAME_RESULT = {
    *("property", "cached_property", "staticmethod", "classmethod", "cache", "lru_cache", "deprecated"),
    *("abstractmethod", "override", "final", "wraps"),
}
_YIELDING = {"contextmanager", "asynccontextmanager"}


def keep_result(decorators: Iterable[str]) -> bool:
    """Whether a function with these decorators returns what its body returns."""
    return all(last_name(decorator) in _SAME_RESULT for decorator in decorators)


def give_what_is_yielded(decorators: Iterable[str]) -> bool:
    """Whether a ``with`` statement that enters what such a function returns binds what its body yields."""
    return any(last_name(decorator) in _YIELDING for decorator in decorators)
