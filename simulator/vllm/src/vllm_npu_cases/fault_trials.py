"""Trials of a case's faults: each is put in, has to take effect, and has to be noticed."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from vllm_npu_cases.cases.case import Case

#: Where a log lies is of no use to who reads the evidence.
_LOG = re.compile(r" \(log: [^)]*\)$")
_LONGEST = 160


class Trials:
    """Gathers the runs of cases, as they are and with each of their faults."""

    def __init__(self) -> None:
        #: By case and runner: what each run said, by the fault that was in it, and why it failed.
        self._known: dict[tuple[str, str], dict[str | None, tuple[Mapping[str, Any], str | None]]] = {}

    def add(self, case: Case, result: Mapping[str, Any], failure: str | None) -> dict[str, Any] | None:
        """Return what a case makes of its faults as soon as the last of its runs is known; None before."""
        known = self._known.setdefault((case.name, result["runner"]), {})
        known[result["control"]] = result, failure
        return _tried(case, known) if len(known) == len(case.faults) + 1 else None


def _tried(case: Case, known: Mapping[str | None, tuple[Mapping[str, Any], str | None]]) -> dict[str, Any]:
    plain, failure = known[None]
    found: dict[str, Any] = {
        "case": case.name,
        "runner": plain["runner"],
        "seconds": round(sum(result["seconds"] for result, _ in known.values()), 1),
        **{name: plain[name] for name in ("unsupported", "vllm", "torch", "transformers") if name in plain},
    }
    if all("executed" in result for result, _ in known.values()):
        found["executed"] = _all_executed(result["executed"] for result, _ in known.values())
    if failure is not None:
        return found | {"failure": failure if "unsupported" in found else f"without any fault: {failure}"}
    found["faults"] = {name: _said(case, name, *known[name]) for name in case.faults}
    return found | {"failure": unnoticed(found["faults"])}


def _all_executed(runs: Iterable[Mapping[str, list[str]]]) -> dict[str, list[str]]:
    """Return the names that any of the runs executed, by module."""
    found: dict[str, set[str]] = {}
    for run in runs:
        for module, names in run.items():
            found.setdefault(module, set()).update(names)
    return {module: sorted(names) for module, names in sorted(found.items())}


def _said(case: Case, name: str, result: Mapping[str, Any], failure: str | None) -> dict[str, Any]:
    times = result["took_effect"].get(name, 0)
    said: dict[str, Any] = {"took_effect": times}
    if failure is not None and times:
        said["noticed"] = _LOG.sub("", failure)[:_LONGEST]
    if name in case.blind_to:
        said["blind"] = case.blind_to[name]
    return said


def unnoticed(faults: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return in a line what is wrong with a case, given how often each fault took effect (``took_effect``), what was
    ``noticed`` of it, and why the case is ``blind`` to it, where it is said to be; or None."""
    missed = [name for name, each in faults.items() if each["took_effect"] and not {"noticed", "blind"} & each.keys()]
    if missed:
        return "; ".join(
            f"{name} took effect {faults[name]['took_effect']} times, and nobody noticed" for name in missed
        )
    if not any("noticed" in each or "blind" in each for each in faults.values()):
        return f"this case is blind: none of its faults was met ({', '.join(faults)})"
    return None
