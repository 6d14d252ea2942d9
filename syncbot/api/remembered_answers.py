"""Functions of a source text that remember their answers and do not keep the texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from syncbot.api.recently_used import RecentlyUsed

P = ParamSpec("P")
T = TypeVar("T")


def remembered(
    most: int,
) -> Callable[[Callable[Concatenate[bytes, P], T]], Callable[Concatenate[bytes, P], T]]:
    """Return a decorator that remembers the last ``most`` answers. Texts are large, so that their hash and
    length stand for them: the chance of a mix-up among a million is below one in ten million."""

    def decorator(function: Callable[Concatenate[bytes, P], T]) -> Callable[Concatenate[bytes, P], T]:
        answers = RecentlyUsed[tuple[object, ...], tuple[T]](most)

        @wraps(function)
        def answer(source: bytes, /, *args: P.args, **kwargs: P.kwargs) -> T:
            key = (hash(source), len(source), *args, *kwargs.items())
            known = answers.get(key)
            if known is None:
                known = answers.put(key, (function(source, *args, **kwargs),))
            return known[0]

        return answer

    return decorator
