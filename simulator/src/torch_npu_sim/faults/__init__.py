"""Faults put in on purpose, which a run has to notice. Each counts how often it took effect: one that nobody meets
proves nothing."""

import functools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch_npu_sim.settings import read_settings

#: How often each fault took effect in this process, by name.
took_effect: Counter[str] = Counter()

Change = Callable[[Callable[..., Any]], Callable[..., Any]]


def _always(*arguments: Any, **keywords: Any) -> bool:
    return True


def in_operator(fault: str, name: str, change: Change, when: Callable[..., bool] = _always) -> None:
    """Compute the operator ``name`` by ``change(reference)`` in calls whose arguments are such that ``when`` is true;
    KeyError for one without a reference."""
    # It brings torch, which loads the simulation: whoever only lists faults does without.
    from torch_npu_sim import operators

    correct = operators.kernels(name)[0]
    operators.replaced[name] = _noted(fault, correct, change(correct), when)


def in_member(fault: str, owner: Any, name: str, change: Change, when: Callable[..., bool] = _always) -> None:
    """Put ``change(function)`` in the place of a function of a module or class, for calls whose arguments are such that
    ``when`` is true; AttributeError where there is none."""
    correct = getattr(owner, name)
    setattr(owner, name, _noted(fault, correct, change(correct), when))


def note(fault: str) -> None:
    """Say that a fault took effect."""
    took_effect[fault] += 1
    if (file := read_settings().took_effect) is not None:
        with file.open("a", encoding="utf-8") as notes:
            notes.write(f"{fault}\n")


def noted(file: Path) -> Counter[str]:
    """Return how often each fault took effect in the processes that add to a file."""
    return Counter(file.read_text(encoding="utf-8").splitlines()) if file.exists() else Counter()


def _noted(
    fault: str, correct: Callable[..., Any], function: Callable[..., Any], when: Callable[..., bool]
) -> Callable[..., Any]:
    took_effect[fault] += 0

    @functools.wraps(correct)
    def faulty(*arguments: Any, **keywords: Any) -> Any:
        if not when(*arguments, **keywords):
            return correct(*arguments, **keywords)
        note(fault)
        return function(*arguments, **keywords)

    return faulty
