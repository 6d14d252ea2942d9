"""ty: the second opinion."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from syncbot.typecheck.checker_process import PYTHON, failed, run, site_packages, version
from syncbot.typecheck.model import Diagnostic, Finding, Job, Problem
from syncbot.typecheck.registry import executable, register

NAME = "ty"

_CONFIG = """\
[environment]
python-version = "{python}"
python-platform = "linux"
extra-paths = {search}
root = {root}

[analysis]
respect-type-ignore-comments = false

[src]
respect-ignore-files = false

[rules]
deprecated = "warn"
"""


class Ty:
    """The engine."""

    name = NAME
    memory = 800

    def version(self) -> str | None:
        """The installed version, None where it is not installed."""
        program = executable(NAME)
        return (version(program) or None) if program else None

    def diagnostics(self, job: Job) -> frozenset[Diagnostic]:
        """What ty says under the rules that are read here. Raises EnvironmentFailure where it fails."""
        program = executable(NAME) or NAME
        config = job.scratch / "ty.toml"
        own = [str(p) for p in job.search if p == job.backend or p.is_relative_to(job.backend)]
        rest = [str(p) for p in job.search if str(p) not in own]
        config.write_text(_CONFIG.format(python=PYTHON, search=json.dumps(rest), root=json.dumps(own)))
        result = run(
            [
                *(program, "check", "--config-file", str(config), "--project", str(job.backend)),
                *("--python", str(_environment(job)), "--output-format", "gitlab", "--no-progress"),
                *("--", *job.files),
            ],
            job.backend,
            {"TY_MAX_PARALLELISM": "1"},
        )
        try:
            entries = json.loads(result.stdout)
        except ValueError as error:
            raise failed(NAME, result) from error
        if result.returncode not in (0, 1):
            raise failed(NAME, result)
        return frozenset(_diagnostic(entry) for entry in entries if entry["check_name"] in _PATTERNS)

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
                    found.get("theirs", ""), diagnostic.rule == "missing-union-attribute",
                )  # fmt: skip
        return None


def _diagnostic(entry: dict[str, Any]) -> Diagnostic:
    place = entry["location"]
    begin = place["positions"]["begin"]
    rule = entry["check_name"]
    message = entry["description"].removeprefix(f"{rule}: ")
    return Diagnostic(place["path"], begin["line"], begin["column"], rule, message)


def _environment(job: Job) -> Path:
    """The configured environment, else an empty one: without it ty takes the one it is installed in."""
    if job.environment is not None:
        site_packages(job.environment)
        return job.environment
    bare = job.scratch / "environment"
    (bare / "lib" / f"python{PYTHON}" / "site-packages").mkdir(parents=True, exist_ok=True)
    (bare / "pyvenv.cfg").write_text(f"home = {Path(sys.base_prefix, 'bin')}\nversion = {PYTHON}.0\n")
    return bare


def _patterns(*pairs: tuple[Problem, str]) -> tuple[tuple[Problem, re.Pattern[str]], ...]:
    return tuple((problem, re.compile(text)) for problem, text in pairs)


_OF = r"(?: of (?:bound method |function )?`(?P<owner>[^`]+)`)?"
_CALLEE = r"(?: to (?:bound method |function )?`(?P<owner>[^`]+)`)?"
_BASE = r"Definition is incompatible with `(?P<owner>[^`]+)\.(?P<name>[^`.]+)`"

_PATTERNS = {
    "import-not-found": _patterns(
        (Problem.MODULE_MISSING, r"^Cannot resolve imported module `(?P<owner>[^`]+)`"),
        (Problem.NAME_MISSING, r"^Module `(?P<owner>[^`]+)` has no member `(?P<name>[^`]+)`"),
    ),
    "missing-attribute": _patterns(
        (Problem.NAME_MISSING, r"^Module `(?P<owner>[^`]+)` has no member `(?P<name>[^`]+)`"),
        (Problem.ATTRIBUTE_MISSING, r"^(?:Object of type|Class) `(?P<owner>.+)` has no attribute "
          r"`(?P<name>[^`]+)`$"),
        (Problem.ATTRIBUTE_MISSING, r"^Unresolved attribute `(?P<name>[^`]+)` on "
          r"(?:type|class|module) `(?P<owner>.+)`"),
    ),
    "missing-union-attribute": _patterns(
        (Problem.ATTRIBUTE_MISSING, r"^Attribute `(?P<name>[^`]+)` is not defined on `(?P<owner>[^`]+)`")
    ),
    "unknown-argument": _patterns(
        (Problem.KEYWORD_UNKNOWN, r"^Argument `(?P<name>[^`]+)` does not match any known parameter" + _OF)
    ),
    "missing-argument": _patterns(
        (Problem.ARGUMENT_MISSING, r"^No arguments? provided for required parameters? "
         r"(?P<names>`[^`]+`(?:, `[^`]+`)*)" + _OF)
    ),
    "too-many-positional-arguments": _patterns(
        (Problem.ARGUMENT_SURPLUS, r"^Too many positional arguments" + _CALLEE)
    ),
    "parameter-already-assigned": _patterns(
        (Problem.ARGUMENT_TWICE, r"^Multiple values provided for parameter `(?P<name>[^`]+)`" + _OF)
    ),
    "invalid-argument-type": _patterns(
        (Problem.ARGUMENT_TYPE, r"^Argument" + _CALLEE + r" is incorrect: "
         r"Expected `(?P<theirs>[^`]*)`, found `(?P<ours>[^`]*)`")
    ),
    "incompatible-method-override": _patterns((Problem.OVERRIDE, _BASE)),
    "lost-keyword-for-regular-parameter": _patterns((Problem.OVERRIDE, _BASE)),
    "abstract-class-instantiation": _patterns(
        (Problem.ABSTRACT, r"^Cannot instantiate `(?P<owner>[^`]+)` with unimplemented abstract "
          r"methods? (?P<names>.*)")
    ),
    "invalid-assignment": _patterns(
        (Problem.UNPACK, r"^(?:Too many|Not enough) values to unpack: [Ee]xpected (?:at least "
          r")?(?P<ours>\d+)"),
        (Problem.REPLACEMENT, r"^Object of type `def (?P<ours>[^`]*)` is not assignable to attribute "
         r"`(?P<name>[^`]+)` of type `(?:bound method |def )(?P<theirs>[^`]*)`"),
        (Problem.ATTRIBUTE_MISSING, r"^Object of type `[^`]*` is not assignable to attribute "
          r"`(?P<name>[^`]+)` "
         r"on type `(?P<owner>\w+) \| Unknown`"),
        (Problem.VALUE_TYPE, r"^Object of type `(?P<ours>[^`]*)` is not assignable to `(?P<theirs>[^`]*)`"),
    ),
    "invalid-attribute-access": _patterns(
        (Problem.ATTRIBUTE_READ_ONLY, r"^Attribute `(?P<name>[^`]+)` on object of type "
          r"`(?P<owner>[^`]+)` is read-only")
    ),
    "not-iterable": _patterns((Problem.NOT_ITERABLE, r"^Object of type `(?P<theirs>[^`]+)` is not iterable")),
    "deprecated": _patterns((Problem.DEPRECATED, r"^The (?:function|class|method) `(?P<name>[^`]+)` "
         r"is deprecated")),
    "not-subscriptable": _patterns((Problem.VALUE_TYPE, r"^Cannot subscript object of type "
         r"`(?P<theirs>[^`]+)`")),
}  # fmt: skip

register(Ty())
