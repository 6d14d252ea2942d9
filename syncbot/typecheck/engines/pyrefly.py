"""pyrefly: the engine that finds most, and prints whole signatures."""

from __future__ import annotations

import json

from syncbot.typecheck.checker_process import PYTHON, failed, run, site_packages
from syncbot.typecheck.message_patterns import MessagePatterns
from syncbot.typecheck.model import Diagnostic, Job, Problem
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


_IN = r"(?: in function `(?P<owner>[^`]+)`)?"
_TYPED = r"has type `(?P<ours>[^`]*)`, which is not (?:assignable to|consistent with) `(?P<theirs>[^`]*)`"
_MEMBER = r"^Class member `[^`]+?\.(?P<name>[^`.]+)` overrides parent class `(?P<owner>[^`]+)`"
_MEMBER_TYPED = _MEMBER + r"(?:.*\n.*" + _TYPED + ")?"
_NO_ATTRIBUTE = (
    (Problem.NAME_MISSING, r"^No attribute `(?P<name>[^`]+)` in module `(?P<owner>[^`]+)`"),
    (Problem.ATTRIBUTE_MISSING, r"^(?:Object of class|(?P<partly>Object of type)|Class) `(?P<owner>[^`]+)` "
     r"has no (?:class )?attribute `(?P<name>[^`]+)`"),
)  # fmt: skip
_ATTRIBUTE_RULES = ("missing-module-attribute", "missing-attribute-patch-target", "missing-attribute")
_MESSAGES = (
    ("missing-import", Problem.MODULE_MISSING, r"^Cannot find module `(?P<owner>[^`]+)`"),
    ("missing-module-attribute", Problem.NAME_MISSING,
     r"^Could not import `(?P<name>[^`]+)` from `(?P<owner>[^`]+)`"),
    *((rule, *message) for rule in _ATTRIBUTE_RULES for message in _NO_ATTRIBUTE),
    ("implicit-reexport", Problem.NAME_BORROWED,
     r"^`(?P<name>[^`]+)` is not exported from module `(?P<owner>[^`]+)`"),
    ("unknown-attribute-access", Problem.ATTRIBUTE_UNKNOWN, r"^The type of attribute `(?P<name>[^`]+)`"),
    ("unexpected-keyword", Problem.KEYWORD_UNKNOWN,
     r"^Unexpected keyword argument `(?P<name>[^`]+)`" + _IN),
    ("missing-argument", Problem.ARGUMENT_MISSING, r"^Missing argument `(?P<name>[^`]+)`" + _IN),
    ("bad-argument-count", Problem.ARGUMENT_SURPLUS,
     r"^Expected .* positional arguments?, got \d+" + _IN),
    ("unexpected-positional-argument", Problem.ARGUMENT_SURPLUS,
     r"^Expected argument `(?P<name>[^`]+)` to be passed by name" + _IN),
    ("bad-keyword-argument", Problem.ARGUMENT_TWICE,
     r"^Multiple values for argument `(?P<name>[^`]+)`" + _IN),
    ("bad-argument-type", Problem.ARGUMENT_TYPE,
     r"^Argument `(?P<ours>[^`]*)` is not assignable to parameter `(?P<name>[^`]+)` "
     r"with type `(?P<theirs>[^`]*)`" + _IN),
    ("bad-override", Problem.OVERRIDE, _MEMBER_TYPED),
    ("bad-override-param-name", Problem.OVERRIDE, _MEMBER),
    ("bad-override-mutable-attribute", Problem.ATTRIBUTE_TYPE, _MEMBER_TYPED),
    ("implicit-abstract-class", Problem.ABSTRACT,
     r"^Class `(?P<owner>[^`]+)` has unimplemented abstract members: (?P<names>.*)"),
    ("bad-instantiation", Problem.ABSTRACT,
     r"^Cannot instantiate `(?P<owner>[^`]+)` because .* abstract: (?P<names>.*)"),
    ("read-only", Problem.ATTRIBUTE_READ_ONLY,
     r"^Attribute `(?P<name>[^`]+)` of class `(?P<owner>[^`]+)`"),
    ("read-only", Problem.ATTRIBUTE_READ_ONLY, r"^Cannot set field `(?P<name>[^`]+)`"),
    ("bad-unpacking", Problem.UNPACK, r"^Cannot unpack (?P<theirs>.*) into (?P<ours>\d+) values?"),
    ("not-iterable", Problem.NOT_ITERABLE, r"^Type `(?P<theirs>[^`]+)` is not iterable"),
    ("deprecated", Problem.DEPRECATED, r"^`(?P<owner>[\w.]+)\.(?P<name>\w+)` is deprecated"),
    ("bad-assignment", Problem.REPLACEMENT,
     r"^`(?P<ours>\(.*?\) -> [^`]*)` is not assignable to attribute `(?P<name>[^`]+)` "
     r"with type `(?P<theirs>\(.*?\) -> [^`]*)`"),
    ("bad-assignment", Problem.VALUE_TYPE,
     r"^`(?P<ours>[^`]*)` is not assignable to (?:[^`]*`(?P<name>[^`]+)` with type )?`(?P<theirs>[^`]*)`"),
    ("bad-return", Problem.VALUE_TYPE,
     r"^Returned type `(?P<ours>[^`]*)` is not assignable to declared return type `(?P<theirs>[^`]*)`"),
    ("not-callable", Problem.VALUE_TYPE, r"^Expected a callable, got `?(?P<theirs>[^`]*)`?"),
    ("unsupported-operation", Problem.VALUE_TYPE, r"^`?(?P<theirs>[^`]*)`? is not subscriptable"),
    ("unsupported-operation", Problem.VALUE_TYPE, r"^Cannot index into `(?P<theirs>[^`]*)`"),
)  # fmt: skip


class Pyrefly(MessagePatterns):
    """The engine."""

    name = NAME
    memory = 900
    messages = _MESSAGES

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
            if self.knows(e["name"])
        )


register(Pyrefly())
