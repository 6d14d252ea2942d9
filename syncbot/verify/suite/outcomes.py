"""The outcome of each test of a suite: as its program notes it, and as a file of evidence keeps it."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

#: What may become of a test: ``over`` used more processor time than it may, or none for long; ``crash`` took
#: its process along.
OUTCOMES = ("pass", "skip", "fail", "error", "over", "crash")
_SHORTEST_CAUSE = 200
_COUNTED = re.compile(r"\d+ validation errors? for ")


@dataclass(frozen=True, slots=True)
class Frame:
    """An entry of a traceback: the file as seen from the root of the tests or from its distribution's folder,
    the line, the function, the text of the line, and where in the file the expression begins and ends that
    was being computed: line and columns, none where Python did not tell."""

    file: str
    line: int
    function: str
    code: str = ""
    expression: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """An attribute that was missing: its name, the nature of what was asked (``namespace``, ``mock``,
    ``test``: a class of a test, ``module`` or ``object``), and the dotted classes of it, the first its own;
    of a mock those that it stands for."""

    name: str
    nature: str
    classes: tuple[str, ...]
    is_class: bool = False


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a test did not pass: the exception's class and message, its frames (the innermost last), all as it
    would be printed, and which attribute was missing."""

    type: str
    message: str
    frames: tuple[Frame, ...] = ()
    text: str = ""
    asked: Asked | None = None

    @property
    def first_line(self) -> str:
        """Class and message in one line; where that counts errors, the first of them too."""
        first, *more = self.message.strip().splitlines() or [""]
        if more and _COUNTED.match(first):
            first = f"{first}: {more[0].partition(' [type=')[0].strip()}"
        return ": ".join(part for part in (self.type, first) if part)


@dataclass(frozen=True, slots=True)
class SuiteTest:
    """The outcome of a test, its duration in seconds, and the cause if it did not pass."""

    node: str
    outcome: str
    seconds: float = 0.0
    cause: Cause | None = None

    @property
    def file(self) -> str:
        """The file that the test stands in."""
        return self.node.partition("::")[0]


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """The tests of a file, in the order in which they ran; the functions of the plugin that they executed, by
    the path of the module, and whether the file was run to its end."""

    tests: tuple[SuiteTest, ...]
    executed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    done: bool = True


@dataclass(frozen=True, slots=True)
class SuiteOutcome:
    """A suite that ran to its end, by its files; ``digest`` is that of all that it depends on."""

    digest: str
    files: Mapping[str, FileOutcome]
    moment: str = ""
    known: int = 0

    @property
    def tests(self) -> list[SuiteTest]:
        """All tests, sorted."""
        return sorted((test for each in self.files.values() for test in each.tests), key=lambda t: t.node)

    @property
    def counts(self) -> dict[str, int]:
        """How many tests there are of each outcome."""
        found = Counter(test.outcome for test in self.tests)
        return {outcome: found[outcome] for outcome in OUTCOMES if found[outcome]}

    @property
    def executed(self) -> dict[str, tuple[str, ...]]:
        """The functions that any test executed, by module."""
        return _joined(each.executed for each in self.files.values())


def noted(lines: Iterable[str]) -> FileOutcome:
    """Read what the program wrote of a file; of a test that it noted twice the worse counts."""
    tests: dict[str, SuiteTest] = {}
    executed: list[Mapping[str, Sequence[str]]] = []
    done = False
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            # Half of a line, where the program was ended.
            continue
        executed.append(row.get("ran") or {})
        executed.append(dict.fromkeys(row.get("modules") or (), ()))
        done = done or row["at"] == "done"
        if row["at"] == "end":
            found = SuiteTest(row["node"], row["outcome"], row.get("seconds", 0.0), _cause(row.get("cause")))
            known = tests.get(found.node)
            if known is None or OUTCOMES.index(found.outcome) > OUTCOMES.index(known.outcome):
                tests[found.node] = found
    return FileOutcome(tuple(tests.values()), _joined(executed), done)


def _cause(row: Mapping[str, Any] | None) -> Cause | None:
    if row is None:
        return None
    frames = []
    for file, line, function, code, *place in row["frames"]:
        known = len(place) == 3 and all(isinstance(each, int) for each in place)
        frames.append(Frame(file, line, function, code, (place[0], place[1], place[2]) if known else None))
    asked = row.get("asked")
    told = (
        Asked(asked["name"], asked["nature"], tuple(asked["classes"]), asked["is_class"]) if asked else None
    )
    return Cause(row["type"], row["message"], tuple(frames), row["text"], told)


def _joined(parts: Iterable[Mapping[str, Sequence[str]]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for part in parts:
        for path, names in part.items():
            found.setdefault(path, set()).update(names)
    return {path: tuple(sorted(names)) for path, names in sorted(found.items())}


def as_evidence(lane: str, suite: SuiteOutcome) -> bytes:
    """Return the file of evidence: a line that says what ran, one for each test with a short cause, and one
    for each file of tests with what it executed. The same outcome gives the same bytes."""
    rows: list[object] = [{"lane": lane, "digest": suite.digest, "counts": suite.counts}]
    for test in suite.tests:
        short = [test.cause.first_line[:_SHORTEST_CAUSE]] if test.cause is not None else []
        rows.append([test.node, test.outcome, *short])
    names: dict[str, int] = {}
    for file, each in sorted(suite.files.items()):
        ran = [f"{path}:{name}" for path, found in each.executed.items() for name in found]
        rows.append({"file": file, "ran": [names.setdefault(name, len(names)) for name in ran]})
    rows.append({"functions": list(names)})
    text = "".join(f"{json.dumps(row, ensure_ascii=False, separators=(',', ':'))}\n" for row in rows)
    return gzip.compress(text.encode("utf-8", "surrogatepass"), mtime=0)


def evidence_name(lane: str, digest: str) -> str:
    """The name of a lane's file of evidence: it changes with what ran."""
    return f"tests-{lane}-{digest[:12]}.jsonl.gz"


def digest_of(facts: object) -> str:
    """The digest of facts that JSON can say."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
