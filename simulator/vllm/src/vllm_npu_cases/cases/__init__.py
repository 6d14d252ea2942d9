"""Proofs on the simulated device: one module a case or family of cases, registered on import."""

import importlib
import pkgutil
import sys

from vllm_npu_cases.cases.case import Case

_cases: dict[str, Case] = {}
_modules: dict[str, str] = {}


def register(case: Case) -> Case:
    """Make ``case`` known under its name and return it. Raises ValueError for a name that is taken, for a case without a
    fault, and for one that is blind to a fault that is none of its own."""
    if case.name in _cases:
        raise ValueError(f"there are two cases with the name {case.name}")
    if not case.faults:
        raise ValueError(f"the case {case.name} names no fault that it has to notice")
    if other := sorted(set(case.blind_to) - set(case.faults)):
        raise ValueError(f"the case {case.name} is blind to {other[0]}, which is none of its faults")
    _cases[case.name] = case
    _modules[case.name] = sys._getframe(1).f_globals["__name__"]
    return case


def module_of(name: str) -> str:
    """Return the module that registered a case of ``cases()``."""
    return _modules[name]


def case_of(module: str, name: str) -> Case:
    """Return the case of that name, which the module registers; no other module of cases is imported."""
    importlib.import_module(module)
    return _cases[name]


def cases() -> dict[str, Case]:
    """Return all cases by name."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(_cases.items()))
