"""pyrefly: the engine that finds most, and prints whole signatures."""

from __future__ import annotations

import json
import re

from syncbot.typecheck.checker_process import PYTHON, failed, run, site_packages, version
from syncbot.typecheck.model import Diagnostic, Finding, Job, Problem
from syncbot.typecheck.registry import executable, register

NAME = "pyrefly"

# Off unless asked for; the first is the only sight of a new abstract method on a class that is not
# instantiated in sight.
_ASKED = ("implicit-abstract-class", "unknown-attribute-access", "implicit-reexport", "deprecated")

_CONFIG = """\
python-version = "{python}"
python-platform = "linux"
site-package-path = {packages}
skip-interpreter-query = true
disable-search-path-heuristics = true
disable-project-excludes-heuristics = true
project-excludes = []
use-ignore-files = false
enabled-ignores = []
search-path = {search}
"""


class Pyrefly:
    """The engine."""

    name = NAME
    memory = 900

    def version(self) -> str | None:
        """The installed version, None where it is not installed."""
        program = executable(NAME)
        return (version(program) or None) if program else None

    def diagnostics(self, job: Job) -> frozenset[Diagnostic]:
        """What pyrefly says under the rules that are read here. Raises EnvironmentFailure where it fails."""
        program = executable(NAME) or NAME
        packages = site_packages(job.environment) if job.environment else ()
        config = job.scratch / "pyrefly.toml"
        output = job.scratch / "pyrefly.json"
        config.write_text(
            _CONFIG.format(
                python=PYTHON,
                packages=json.dumps([str(p) for p in packages]),
                search=json.dumps([str(p) for p in job.search]),
            )
        )
        output.unlink(missing_ok=True)
        result = run(
            [
                *(program, "check", "--config", str(config), "--threads", "1", "--preset", "default"),
                *(word for rule in _ASKED for word in ("--error", rule)),
                *("--output-format", "json", "-o", f"json:{output}", "--relative-to", str(job.backend)),
                *("--summary", "none", "--progress-bar", "no", "--", *job.files),
            ],
            job.backend,
            {},
        )
        try:
            entries = json.loads(output.read_text())["errors"]
        except (OSError, ValueError, KeyError) as error:
            raise failed(NAME, result) from error
        if result.returncode not in (0, 1):
            raise failed(NAME, result)
        return frozenset(
            Diagnostic(e["path"], e["line"], e["column"], e["name"], e["description"])
            for e in entries
            if e["name"] in _PATTERNS
        )

    def read(self, diagnostic: Diagnostic) -> Finding | None:
        """What a diagnostic means, None for those that never mean an upstream change."""
        for problem, pattern in _PATTERNS.get(diagnostic.rule, ()):
            match = pattern.search(diagnostic.message)
            if match is not None:
                found = match.groupdict(default="")
                names = tuple(re.findall(r"`([^`]+)`", found.get("names", ""))) or (
                    (found["name"],) if found.get("name") else ()
                )
                return Finding(
                    diagnostic, NAME, problem, found.get("owner", ""), names, found.get("ours", ""),
                    found.get("theirs", ""), "of type" in found.get("what", ""),
                )  # fmt: skip
        return None


def _patterns(*pairs: tuple[Problem, str]) -> tuple[tuple[Problem, re.Pattern[str]], ...]:
    return tuple((problem, re.compile(text)) for problem, text in pairs)


_ATTRIBUTE = (
    (Problem.NAME_MISSING, r"^No attribute `(?P<name>[^`]+)` in module `(?P<owner>[^`]+)`"),
    (Problem.ATTRIBUTE_MISSING, r"^(?P<what>Object of class|Object of type|Class) `(?P<owner>[^`]+)` "
     r"has no (?:class )?attribute `(?P<name>[^`]+)`"),
)  # fmt: skip
_IN = r"(?: in function `(?P<owner>[^`]+)`)?"
_TYPED = r"has type `(?P<ours>[^`]*)`, which is not (?:assignable to|consistent with) `(?P<theirs>[^`]*)`"
_MEMBER = r"^Class member `[^`]+?\.(?P<name>[^`.]+)` overrides parent class `(?P<owner>[^`]+)`"

_PATTERNS = {
    "missing-import": _patterns((Problem.MODULE_MISSING, r"^Cannot find module `(?P<owner>[^`]+)`")),
    "missing-module-attribute": _patterns(
        (Problem.NAME_MISSING, r"^Could not import `(?P<name>[^`]+)` from `(?P<owner>[^`]+)`"), *_ATTRIBUTE
    ),
    "missing-attribute-patch-target": _patterns(*_ATTRIBUTE),
    "missing-attribute": _patterns(*_ATTRIBUTE),
    "implicit-reexport": _patterns(
        (Problem.NAME_BORROWED, r"^`(?P<name>[^`]+)` is not exported from module `(?P<owner>[^`]+)`")
    ),
    "unknown-attribute-access": _patterns(
        (Problem.ATTRIBUTE_UNKNOWN, r"^The type of attribute `(?P<name>[^`]+)`")
    ),
    "unexpected-keyword": _patterns(
        (Problem.KEYWORD_UNKNOWN, r"^Unexpected keyword argument `(?P<name>[^`]+)`" + _IN)
    ),
    "missing-argument": _patterns((Problem.ARGUMENT_MISSING, r"^Missing argument `(?P<name>[^`]+)`" + _IN)),
    "bad-argument-count": _patterns((Problem.ARGUMENT_SURPLUS, r"^Expected .* positional "
         r"arguments?, got \d+" + _IN)),
    "unexpected-positional-argument": _patterns(
        (Problem.ARGUMENT_SURPLUS, r"^Expected argument `(?P<name>[^`]+)` to be passed by name" + _IN)
    ),
    "bad-keyword-argument": _patterns(
        (Problem.ARGUMENT_TWICE, r"^Multiple values for argument `(?P<name>[^`]+)`" + _IN)
    ),
    "bad-argument-type": _patterns(
        (Problem.ARGUMENT_TYPE, r"^Argument `(?P<ours>[^`]*)` is not assignable to parameter "
          r"`(?P<name>[^`]+)` "
         r"with type `(?P<theirs>[^`]*)`" + _IN)
    ),
    "bad-override": _patterns((Problem.OVERRIDE, _MEMBER + r"(?:.*\n.*" + _TYPED + ")?")),
    "bad-override-param-name": _patterns((Problem.OVERRIDE, _MEMBER)),
    "bad-override-mutable-attribute": _patterns(
        (Problem.ATTRIBUTE_TYPE, _MEMBER + r"(?:.*\n.*" + _TYPED + ")?")
    ),
    "implicit-abstract-class": _patterns(
        (Problem.ABSTRACT, r"^Class `(?P<owner>[^`]+)` has unimplemented abstract members: (?P<names>.*)")
    ),
    "bad-instantiation": _patterns(
        (Problem.ABSTRACT, r"^Cannot instantiate `(?P<owner>[^`]+)` because .* abstract: (?P<names>.*)")
    ),
    "read-only": _patterns(
        (Problem.ATTRIBUTE_READ_ONLY, r"^Attribute `(?P<name>[^`]+)` of class `(?P<owner>[^`]+)`"),
        (Problem.ATTRIBUTE_READ_ONLY, r"^Cannot set field `(?P<name>[^`]+)`"),
    ),
    "bad-unpacking": _patterns((Problem.UNPACK, r"^Cannot unpack (?P<theirs>.*) into (?P<ours>\d+) values?")),
    "not-iterable": _patterns((Problem.NOT_ITERABLE, r"^Type `(?P<theirs>[^`]+)` is not iterable")),
    "deprecated": _patterns((Problem.DEPRECATED, r"^`(?P<owner>[\w.]+)\.(?P<name>\w+)` is deprecated")),
    "bad-assignment": _patterns(
        (Problem.REPLACEMENT, r"^`(?P<ours>\(.*?\) -> [^`]*)` is not assignable to attribute "
          r"`(?P<name>[^`]+)` "
         r"with type `(?P<theirs>\(.*?\) -> [^`]*)`"),
        (Problem.VALUE_TYPE, r"^`(?P<ours>[^`]*)` is not assignable to (?:[^`]*`(?P<name>[^`]+)` with type )?"
         r"`(?P<theirs>[^`]*)`"),
    ),
    "bad-return": _patterns(
        (Problem.VALUE_TYPE, r"^Returned type `(?P<ours>[^`]*)` is not assignable to declared "
          r"return type `(?P<theirs>[^`]*)`")
    ),
    "not-callable": _patterns((Problem.VALUE_TYPE, r"^Expected a callable, got `?(?P<theirs>[^`]*)`?")),
    "unsupported-operation": _patterns(
        (Problem.VALUE_TYPE, r"^`?(?P<theirs>[^`]*)`? is not subscriptable"),
        (Problem.VALUE_TYPE, r"^Cannot index into `(?P<theirs>[^`]*)`"),
    ),
}  # fmt: skip

register(Pyrefly())
