"""The Python interface: its names, their types, what importing it costs, and the examples of its document."""

from __future__ import annotations

import ast
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import syncbot
from tests.cli.conftest import Project, begun, project  # noqa: F401 (fixtures)

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

PUBLIC = {
    *(
        "ApplyOptions",
        "CheckOptions",
        "ContractsOptions",
        "ExplainOptions",
        "MigrateOptions",
        "TriageOptions",
    ),
    *(
        "VerifyOptions",
        "apply",
        "check",
        "explain_upstream",
        "list_contracts",
        "migrate_backend",
        "triage_logs",
    ),
    *("verify_lanes", "ConfigurationError", "EnvironmentFailure", "SyncbotError", "UsageError"),
}


def test_these_are_the_public_names() -> None:
    typed = ast.parse((ROOT / "syncbot" / "__init__.py").read_text(encoding="utf-8"))
    [block] = [node for node in typed.body if isinstance(node, ast.If)]
    names = {alias.asname for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert names == PUBLIC
    assert set(dir(syncbot)) >= PUBLIC
    assert all(getattr(syncbot, name).__name__ == name for name in PUBLIC)
    assert not hasattr(syncbot, "florb")
    # Importing a package sets its name in the one around it.
    assert {module.name for module in pkgutil.iter_modules(syncbot.__path__)} & PUBLIC == set()


def test_the_document_names_all_of_them() -> None:
    assert {name for name in PUBLIC if not re.search(rf"\b{name}\b", PAGE)} == set()


def test_importing_syncbot_imports_nothing_else() -> None:
    code = "import sys, syncbot; print(syncbot.__version__, [m for m in sys.modules if 'syncbot' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{syncbot.__version__} ['syncbot']\n"
    code = "import sys, syncbot; syncbot.check; print([m for m in sys.modules if m in ('click', 'libcst')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "click" not in done.stdout


def test_its_types_are_said() -> None:
    assert (ROOT / "syncbot" / "py.typed").exists()


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        (0, "src/plugin/worker.py:2: breaks: engine.text.clean no longer exists"),
        (1, "engine/.git has no commit 'v9.9.9': the nearest tags are v0.1.0"),
        (2, "would be rewritten: engine.text.clean no longer exists"),
    ],
)
def test_the_examples_of_the_document_run(
    project: Project,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    example: int,
    expected: str,
) -> None:
    project.change("engine/text.py", "def clean", "def tidy")
    exec(compile(EXAMPLES[example], f"example {example}", "exec"), {})
    printed = capsys.readouterr().out
    assert expected in printed
    assert ("finished: planning rewrites" in printed) == (example == 2)
    assert len(EXAMPLES) == 3
