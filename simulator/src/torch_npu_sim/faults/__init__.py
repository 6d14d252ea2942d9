"""Faults put in on purpose, which a run has to notice. Each counts how often it took effect: one that nobody meets
proves nothing."""

import functools
from collections import Counter
from collections.abc import Callable
from typing import Any

#: How often each fault took effect in this process, by name.
took_effect: Counter[str] = Counter()


def in_operator(fault: str, name: str, change: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Compute the operator ``name`` by ``change(reference)``; KeyError for one without a reference."""
    # It brings torch, which loads the simulation: whoever only lists faults does without.
    from torch_npu_sim import operators

    correct = operators.kernels(name)[0]
    operators.replaced[name] = _noted(fault, change(correct))


def in_member(fault: str, owner: Any, name: str, change: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Put ``change(function)`` in the place of a function of a module or class; AttributeError where there is none."""
    setattr(owner, name, _noted(fault, change(getattr(owner, name))))


def _noted(fault: str, function: Callable[..., Any]) -> Callable[..., Any]:
    took_effect[fault] += 0

    @functools.wraps(function)
    def faulty(*arguments: Any, **keywords: Any) -> Any:
        took_effect[fault] += 1
        return function(*arguments, **keywords)

    return faulty
