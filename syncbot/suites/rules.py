"""The rules that show the class of a group, in the order in which they are asked."""

from __future__ import annotations

import re
from collections.abc import Callable

from syncbot.suites.case import Case, Shown
from syncbot.suites.expected_calls import expected_call
from syncbot.suites.misfit_calls import misfit
from syncbot.suites.missing_names import missing_name, property_set
from syncbot.suites.stand_ins import lacking_member

_OUTSIDE = ("ConnectionError", "ConnectionRefusedError", "gaierror", "FileNotFoundError", "PermissionError")
_MISSING_MODULE = re.compile(r"No module named '([\w.]+)'")


def _environment(case: Case) -> Shown | None:
    """Return ``environment`` for a package that is not installed, and for a file or machine elsewhere."""
    missing = _MISSING_MODULE.search(case.cause.message)
    if case.kind == "ModuleNotFoundError" and missing:
        top = missing[1].partition(".")[0]
        if top not in {*case.lane.packages, *case.lane.upstream}:
            return Shown("environment", f"{top} is not installed")
    if case.kind in _OUTSIDE:
        return Shown("environment", "it looked for a file or a machine")
    return None


_RULES: tuple[Callable[[Case], Shown | None], ...] = (
    _environment,
    missing_name,
    property_set,
    lacking_member,
    misfit,
    expected_call,
)


def shown(case: Case) -> Shown | None:
    """Return the result of the first rule that is sure of a group; None where none is."""
    return next((found for rule in _RULES if (found := rule(case)) is not None), None)
