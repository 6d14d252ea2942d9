"""ty: the second opinion."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from syncbot.typecheck.checker_process import PYTHON, failed, run, site_packages
from syncbot.typecheck.message_patterns import MessagePatterns
from syncbot.typecheck.model import Diagnostic, Job, Problem
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


_OF = r"(?: of (?:bound method |function )?`(?P<owner>[^`]+)`)?"
_CALLEE = r"(?: to (?:bound method |function )?`(?P<owner>[^`]+)`)?"
_BASE = r"Definition is incompatible with `(?P<owner>[^`]+)\.(?P<name>[^`.]+)`"
_NO_MEMBER = r"^Module `(?P<owner>[^`]+)` has no member `(?P<name>[^`]+)`"
_MESSAGES = (
    ("import-not-found", Problem.MODULE_MISSING, r"^Cannot resolve imported module `(?P<owner>[^`]+)`"),
    ("import-not-found", Problem.NAME_MISSING, _NO_MEMBER),
    ("missing-attribute", Problem.NAME_MISSING, _NO_MEMBER),
    ("missing-attribute", Problem.ATTRIBUTE_MISSING,
     r"^(?:Object of type|Class) `(?P<owner>.+)` has no attribute `(?P<name>[^`]+)`$"),
    ("missing-attribute", Problem.ATTRIBUTE_MISSING,
     r"^Unresolved attribute `(?P<name>[^`]+)` on (?:type|class|module) `(?P<owner>.+)`"),
    ("missing-union-attribute", Problem.ATTRIBUTE_MISSING,
     r"^Attribute `(?P<name>[^`]+)` is (?P<partly>not) defined on `(?P<owner>[^`]+)`"),
    ("unknown-argument", Problem.KEYWORD_UNKNOWN,
     r"^Argument `(?P<name>[^`]+)` does not match any known parameter" + _OF),
    ("missing-argument", Problem.ARGUMENT_MISSING,
     r"^No arguments? provided for required parameters? (?P<names>`[^`]+`(?:, `[^`]+`)*)" + _OF),
    ("too-many-positional-arguments", Problem.ARGUMENT_SURPLUS, r"^Too many positional arguments" + _CALLEE),
    ("parameter-already-assigned", Problem.ARGUMENT_TWICE,
     r"^Multiple values provided for parameter `(?P<name>[^`]+)`" + _OF),
    ("invalid-argument-type", Problem.ARGUMENT_TYPE,
     r"^Argument" + _CALLEE + r" is incorrect: Expected `(?P<theirs>[^`]*)`, found `(?P<ours>[^`]*)`"),
    ("incompatible-method-override", Problem.OVERRIDE, _BASE),
    ("lost-keyword-for-regular-parameter", Problem.OVERRIDE, _BASE),
    ("abstract-class-instantiation", Problem.ABSTRACT,
     r"^Cannot instantiate `(?P<owner>[^`]+)` with unimplemented abstract methods? (?P<names>.*)"),
    ("invalid-assignment", Problem.UNPACK,
     r"^(?:Too many|Not enough) values to unpack: [Ee]xpected (?:at least )?(?P<ours>\d+)"),
    ("invalid-assignment", Problem.REPLACEMENT,
     r"^Object of type `def (?P<ours>[^`]*)` is not assignable to attribute `(?P<name>[^`]+)` "
     r"of type `(?:bound method |def )(?P<theirs>[^`]*)`"),
    ("invalid-assignment", Problem.ATTRIBUTE_MISSING,
     r"^Object of type `[^`]*` is not assignable to attribute `(?P<name>[^`]+)` "
     r"on type `(?P<owner>\w+) \| Unknown`"),
    ("invalid-assignment", Problem.VALUE_TYPE,
     r"^Object of type `(?P<ours>[^`]*)` is not assignable to `(?P<theirs>[^`]*)`"),
    ("invalid-attribute-access", Problem.ATTRIBUTE_READ_ONLY,
     r"^Attribute `(?P<name>[^`]+)` on object of type `(?P<owner>[^`]+)` is read-only"),
    ("not-iterable", Problem.NOT_ITERABLE, r"^Object of type `(?P<theirs>[^`]+)` is not iterable"),
    ("deprecated", Problem.DEPRECATED, r"^The (?:function|class|method) `(?P<name>[^`]+)` is deprecated"),
    ("not-subscriptable", Problem.VALUE_TYPE, r"^Cannot subscript object of type `(?P<theirs>[^`]+)`"),
)  # fmt: skip


class Ty(MessagePatterns):
    """The engine."""

    name = NAME
    memory = 800
    messages = _MESSAGES

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
        return frozenset(_diagnostic(entry) for entry in entries if self.knows(entry["check_name"]))


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


register(Ty())
