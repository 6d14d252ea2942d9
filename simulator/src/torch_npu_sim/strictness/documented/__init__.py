"""Rows of constraints, a module a family, each with the sentence of the wheel's documents that it is made of."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from torch_npu_sim.strictness.row import Row


@functools.cache
def rows() -> tuple[Row, ...]:
    """Return the rows of all modules of this package."""
    modules = (importlib.import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__))
    return tuple(row for module in modules for row in module.ROWS)


@functools.cache
def by_operator() -> dict[str, tuple[Row, ...]]:
    """Return the rows of each operator."""
    found: dict[str, list[Row]] = {}
    for row in rows():
        for operator in row.operators:
            found.setdefault(operator, []).append(row)
    return {operator: tuple(among) for operator, among in found.items()}
