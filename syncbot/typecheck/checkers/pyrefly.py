"""pyrefly: the engine that finds most, and prints whole signatures."""

from __future__ import annotations

import json

from syncbot.typecheck.checker_process import PYTHON, failed, run, site_packages
from syncbot.typecheck.message_patterns import MessagePatterns
from syncbot.typecheck.model import Diagnostic, Job
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


class Pyrefly(MessagePatterns):
    """The engine."""

    name = NAME
    memory = 900

    def diagnostics(self, job: Job) -> frozenset[Diagnostic]:
        """Return pyrefly's diagnostics under the rules read here. Raises EnvironmentFailure if it fails."""
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
