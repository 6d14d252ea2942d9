"""Errors of a device's own libraries: links between ranks, and what the runtime refused."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.kinds.environment import sign
from syncbot.triage.model import Raised, Symptom

# Libraries of collective communication say so by name, by a code of theirs, or by what timed out.
_LINK = re.compile(
    r"\bEI\d{4}\b|\bHCCL\(|\bHccl[A-Z]\w+, error code|\b[HN]CCL\b.{0,200}(?:time ?-?out|timed out|unhandled)"
    r"|\bERR02\d{3}\b",
)
_RUNTIME = re.compile(
    r"function error: .{1,400}error code(?: is|:) ?\d+|synchronize failed, error code: ?\d+"
    r"|\bERR(?!99999|02)\d{5} \w|\bE[EHJKLZ]\d{4}(?:: |\): )"
)
_CODE = re.compile(r"\bE[A-Z]\d{4}\b|\bERR\d{5}\b|error code(?: is|:) ?(\d+)")
_PORT = re.compile(r"\bport\[\d+\] fail\b")
_TIMED_OUT = re.compile(r"time ?-?out|times out|timed out|in time", re.IGNORECASE)


@kind
def device_link(error: Raised) -> Symptom | None:
    """The code of a failed link between ranks; one whose port is taken is not meant."""
    if _PORT.search(error.message):
        return None
    code = _code(error)
    why = "did not answer in time" if _TIMED_OUT.search(error.message) else "failed"
    note = f"the link between ranks {why}{f' ({code})' if code else ''}"
    act = "look at the logs of the other ranks, the one that failed first has the cause"
    return sign(error, "device-link", _LINK, note, act, subject=code)


@kind
def device_runtime(error: Raised) -> Symptom | None:
    """The code with which the runtime of a device refused, or stopped, what it was to do."""
    if error.type not in ("", "RuntimeError", "AcceleratorError") or _LINK.search(error.message):
        return None
    code = _code(error)
    note = f"the runtime of the device reports an error{f' ({code})' if code else ''}"
    act = "look the code up in the device's own log of that moment, and run syncbot doctor"
    return sign(error, "device-runtime", _RUNTIME, note, act, subject=code)


def _code(error: Raised) -> str:
    found = _CODE.search(error.message)
    return "" if found is None else found[1] or found[0]
