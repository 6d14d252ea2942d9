"""ty: the second opinion."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from syncbot.typecheck.checker_process import PYTHON, failed, run, site_packages
from syncbot.typecheck.message_patterns import MessagePatterns
from syncbot.typecheck.model import Diagnostic, Job
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


class Ty(MessagePatterns):
    """The engine."""

    name = NAME
    memory = 800

    def diagnostics(self, job: Job) -> frozenset[Diagnostic]:
        """Return ty's diagnostics under the rules read here. Raises EnvironmentFailure if it fails."""
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
