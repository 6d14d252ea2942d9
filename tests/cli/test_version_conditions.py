"""Lines that stand under comparisons of upstream's version, where both ends of the range are releases."""

from __future__ import annotations

from .conftest import Project

PLUGIN = """
import engine
from packaging.version import Version

if Version(engine.__version__) >= Version("0.1"):
    from engine.core import always
if Version(engine.__version__) >= Version("0.3"):
    from engine.core import newly
if Version(engine.__version__) < Version("0.3"):
    from engine.core import former
if Version(engine.__version__) >= floor():
    from engine.core import unknown
"""
NAMES = ("always", "newly", "former", "unknown")


def _verdicts(project: Project, *to: str) -> dict[str, str]:
    told = {i["symbol"].rpartition(".")[2]: i["verdict"] for i in project.check("v0.2.0", *to)["impacts"]}
    return {name: told[name] for name in NAMES if name in told}


def test_what_runs_on_both_releases_breaks(project: Project) -> None:
    before = "".join(f"def {name}(): ...\n" for name in NAMES)
    project.files = {"engine/__init__.py": "", "engine/core.py": before}
    project.commit("Before")
    project.git("tag", "v0.2.0")
    project.files = {"engine/__init__.py": "", "engine/core.py": "def other(): ...\n"}
    project.commit("After")
    (project.plugin / "src/plugin/worker.py").unlink()
    project.write({"src/plugin/use.py": PLUGIN})
    # Of a commit that is no release nobody knows which branch runs.
    assert _verdicts(project) == dict.fromkeys(NAMES, "at-risk")
    project.git("tag", "v0.3.0")
    told = _verdicts(project, "--to", "v0.3.0")
    assert told == {"always": "breaks", "newly": "at-risk", "unknown": "at-risk"}
