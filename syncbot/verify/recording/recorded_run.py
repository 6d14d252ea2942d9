"""A run of a check while the recorder watches, and what it noted."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import gcd
from pathlib import Path
from typing import Any

from syncbot.sealed_values import keep, recall
from syncbot.verify.recording import recorder
from syncbot.verify.simulate import Check, Observer, PreparedRun, observed, run_digest

_NOTES = "notes"

#: The kinds of values that a parameter had: what each is, with the shape of a tensor.
Kinds = frozenset[str]


@dataclass(frozen=True, slots=True)
class Call:
    """How something was called: by which functions of upstream, and the kinds of each argument."""

    callers: frozenset[str] = frozenset()
    arguments: Mapping[str, Kinds] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recording:
    """The record of a run, by name (``module:Class.method``, ``namespace::operator``). ``called`` are the
    plugin's functions that upstream called, ``ran`` all that ran; ``led`` are the callers of those callers.
    ``counts`` are the device's operators per step, as the check itself counts them; ``unread`` are calls that
    could not be read, with the error; ``failure`` says why the check failed. A run that did not end has
    nothing else."""

    called: Mapping[str, Call] = field(default_factory=dict)
    ran: frozenset[str] = frozenset()
    led: Mapping[str, frozenset[str]] = field(default_factory=dict)
    operators: Mapping[str, Call] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()
    failure: str = ""

    @property
    def ended(self) -> bool:
        """Whether the run came to its end, whatever was wrong."""
        return not self.failure or bool(self.ran)


def recorded(
    stand: PreparedRun, check: Check, upstream: Sequence[str], plugin: Sequence[str], force: bool = False
) -> Recording:
    """Return the record of a check, from the cache if the same sources were run before. Raises
    EnvironmentFailure when it cannot be started."""
    text = Path(recorder.__file__).read_bytes()
    file = _file(stand, check, text)
    known = None if force else recall(stand.cache, file)
    if known is not None:
        return parsed(json.loads(known))
    # Below the system's temporary folder, for engines put sockets there and a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix=f"syncbot-{stand.subject.lane}-"))
    notes = folder / _NOTES
    notes.touch()
    told = json.dumps({"file": str(notes), "upstream": list(upstream), "plugin": list(plugin)})
    outcome = observed(stand, check, folder, Observer(text, {recorder.VARIABLE: told}))
    found = read_notes(notes.read_text(encoding="utf-8").splitlines(), outcome.result.get("operators"))
    if not outcome.passed:
        log = f" (log: {outcome.log})" if outcome.log else ""
        ended = bool(outcome.result) and "error" not in outcome.result
        return replace(found if ended else Recording(), failure=f"{outcome.reason}{log}")
    shutil.rmtree(folder, ignore_errors=True)
    keep(stand.cache, file, as_json(found).encode())
    return found


def _file(stand: PreparedRun, check: Check, text: bytes) -> Path:
    sources, beside = stand.subject.sources, stand.subject.beside.digest or ""
    run = run_digest(stand.subject, check, stand.environment.digest, stand.settings)
    digest = hashlib.sha256(b"\0".join([text, *map(str.encode, (sources, beside, run))])).hexdigest()
    return stand.cache / "recordings" / f"{stand.subject.lane}-{check.name}-{digest[:16]}.json"


def read_notes(lines: Iterable[str], counted: object) -> Recording:
    """Combine the notes of all processes with the check's own counts of operators. The last line of a process
    that was killed may be incomplete."""
    callers: dict[str, set[str]] = {}
    led: dict[str, set[str]] = {}
    ran: set[str] = set()
    operators: set[str] = set()
    unread: set[str] = set()
    shapes: dict[tuple[str, str, str, str, int], list[object]] = {}
    values: dict[tuple[str, str, str], set[str]] = {}
    for line in lines:
        try:
            fact = json.loads(line)
        except ValueError:
            continue
        match fact:
            case ["ran", name]:
                ran.add(name)
            case ["called", name, caller]:
                callers.setdefault(name, set()).add(caller)
            case ["led", name, caller]:
                led.setdefault(name, set()).add(caller)
            case ["operator", name]:
                operators.add(name)
            case ["unreadable", name]:
                unread.add(name)
            case ["argument" | "input" as what, name, parameter, kind, None]:
                values.setdefault((what, name, parameter), set()).add(kind)
            case ["argument" | "input" as what, name, parameter, kind, [*shape]]:
                key = (what, name, parameter, kind, len(shape))
                before = shapes.get(key, shape)
                shapes[key] = [a if a == b else "n" for a, b in zip(before, shape, strict=True)]
    for (what, name, parameter, kind, _), shape in shapes.items():
        values.setdefault((what, name, parameter), set()).add(_written(kind, shape))
    return Recording(
        called={
            name: Call(frozenset(found), _of("argument", name, values))
            for name, found in sorted(callers.items())
        },
        ran=frozenset(ran | callers.keys()),
        led={name: frozenset(found) for name, found in sorted(led.items())},
        operators={name: Call(arguments=_of("input", name, values)) for name in sorted(operators)},
        counts=_a_step(counted),
        unread=frozenset(unread),
    )


def _written(kind: str, shape: Sequence[object]) -> str:
    """A tensor, or a list of them with the shape of the first; else an option and its value."""
    dtype, tensor, device = kind.partition(" on ")
    values = ",".join(map(str, shape))
    return f"{dtype}[{values}] on {device}" if tensor else f"{kind} {values}"


def _of(what: str, name: str, values: Mapping[tuple[str, str, str], set[str]]) -> dict[str, Kinds]:
    return {
        parameter: frozenset(kinds)
        for (noted, owner, parameter), kinds in sorted(values.items())
        if noted == what and owner == name
    }


def _a_step(counted: object) -> dict[str, int]:
    """Counts divided by what divides all of them: a run of more steps has the same."""
    if not isinstance(counted, Mapping):
        return {}
    counts = {str(name): count for name, count in counted.items() if isinstance(count, int) and count > 0}
    divisor = gcd(*counts.values()) or 1
    return {name: count // divisor for name, count in sorted(counts.items())}


def as_json(recording: Recording) -> str:
    """The recording as JSON, sorted: the same for the same run."""

    def calls(found: Mapping[str, Call]) -> dict[str, object]:
        return {
            name: {
                "callers": sorted(call.callers),
                "arguments": {
                    parameter: sorted(kinds) for parameter, kinds in sorted(call.arguments.items())
                },
            }
            for name, call in sorted(found.items())
        }

    told = {
        "called": calls(recording.called),
        "ran": sorted(recording.ran),
        "led": {name: sorted(callers) for name, callers in sorted(recording.led.items())},
        "operators": calls(recording.operators),
        "counts": dict(sorted(recording.counts.items())),
        "unread": sorted(recording.unread),
    }
    return json.dumps(told, indent=1)


def parsed(told: Mapping[str, Any]) -> Recording:
    """The recording that ``as_json`` wrote."""

    def calls(found: Mapping[str, Any]) -> dict[str, Call]:
        return {
            name: Call(frozenset(each["callers"]), {p: frozenset(k) for p, k in each["arguments"].items()})
            for name, each in found.items()
        }

    return Recording(
        called=calls(told["called"]),
        ran=frozenset(told["ran"]),
        led={name: frozenset(callers) for name, callers in told["led"].items()},
        operators=calls(told["operators"]),
        counts=dict(told["counts"]),
        unread=frozenset(told["unread"]),
    )
