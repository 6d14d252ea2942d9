"""What the simulated device proves, one module a case or family of cases, registered on import."""

import importlib
import pkgutil

from vllm_npu_cases.cases.case import Case

_cases: dict[str, Case] = {}


def register(case: Case) -> Case:
    """Make ``case`` known under its name and return it. Raises ValueError for a name that is taken."""
    if case.name in _cases:
        raise ValueError(f"there are two cases with the name {case.name}")
    _cases[case.name] = case
    return case


def cases() -> dict[str, Case]:
    """Return all cases by name."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(_cases.items()))
