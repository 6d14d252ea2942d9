"""A file of known findings: what it has is told apart, what is new fails, and what is gone is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.report.test_sarif import valid

from .conftest import PLUGIN, Project

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/report.json").read_text(encoding="utf-8"))
FILE = "src/plugin/worker.py"
LINE = 'self.name = clean("fast", strict=True)'


@pytest.fixture
def broken(project: Project) -> Project:
    """Upstream removed what the plugin passes, and somebody wrote that down."""
    project.change("engine/text.py", ", strict: bool = False", "")
    write_known(project)
    return project


def write_known(project: Project) -> str:
    file = str(project.plugin / "known.toml")
    done = project.run("check", "--from", "v0.1.0", "--engine", "contracts", "--write-baseline", file)
    assert done.exit_code == 0, done.output
    return done.stdout


def configure(project: Project) -> None:
    project.write(
        {"pyproject.toml": f'{PLUGIN["pyproject.toml"]}\n[tool.syncbot]\nbaseline = "known.toml"\n'}
    )


def report(project: Project, *more: str) -> dict[str, Any]:
    found = project.check("v0.1.0", *more)
    jsonschema.validate(found, SCHEMA)
    return found


def text_of(project: Project, *more: str) -> tuple[int, str]:
    done = project.run("check", "--from", "v0.1.0", "--engine", "contracts", *more)
    return done.exit_code, " ".join(done.stdout.split())


def test_what_is_known_is_told_apart_and_fails_nothing(broken: Project) -> None:
    assert report(broken)["baseline"] is None
    configure(broken)
    code, text = text_of(broken)
    assert code == 0
    assert "Nothing in 1 commit breaks the project beyond what is known." in text
    assert "Known: 1 finding, in known.toml." in text
    found = report(broken)
    assert found["impacts"] == []
    assert found["baseline"] == {"file": "known.toml", "known": 1, "gone": []}
    assert [(each["kind"], each["by"]) for each in found["accepted"]] == [("parameter-removed", "baseline")]
    for style in ("markdown", "html", "github"):
        assert "Known: 1 finding" in text_of(broken, "--format", style)[1], style


def test_lines_may_move_and_what_is_new_fails(broken: Project) -> None:
    configure(broken)
    moved = PLUGIN[FILE].replace("class Fast", "# moved\n\n\nclass Fast")
    broken.write({FILE: moved})
    assert text_of(broken)[0] == 0
    # The same in another file is new, and a second time in the same file.
    broken.write(
        {FILE: moved, "src/plugin/other.py": "from engine.text import clean\n\nclean('x', strict=True)\n"}
    )
    code, text = text_of(broken)
    assert (code, "src/plugin/other.py:3: " in text, "worker.py" in text) == (1, True, False)
    assert "Known: 1 finding" in text
    (broken.plugin / "src/plugin/other.py").unlink()
    broken.write({FILE: PLUGIN[FILE].replace(LINE, f"{LINE}; clean('b', strict=True)")})
    code, text = text_of(broken)
    assert (code, "src/plugin/worker.py:9" in text, "Known:" in text) == (1, True, False)
    # Another change of upstream is new as well.
    broken.write({FILE: PLUGIN[FILE]})
    broken.change(
        "engine/worker.py",
        "def execute(self, batch: list[int])",
        "def execute(self, batch: list[int], more: int)",
    )
    assert [impact["symbol"] for impact in report(broken)["impacts"]] == ["engine.worker.Worker.execute"]


def test_what_is_worse_than_it_was_is_new(broken: Project) -> None:
    configure(broken)
    file = broken.plugin / "known.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"breaks"', '"at-risk"'), encoding="utf-8")
    assert [impact["verdict"] for impact in report(broken)["impacts"]] == ["breaks"]


def test_what_is_gone_is_told_and_a_new_file_is_without_it(broken: Project) -> None:
    configure(broken)
    broken.write({FILE: PLUGIN[FILE].replace(", strict=True", "")})
    done = broken.run("check", "--from", "v0.1.0")
    assert done.exit_code == 0, done.output
    told = " ".join(done.stdout.split())
    assert "Known and gone: 1 finding of known.toml; syncbot check --write-baseline known.toml writes" in told
    # A range that does not hold the guilty commit tells nothing of it, nor does a part of the engines.
    broken.noise()
    assert "gone" not in broken.run("check", "--from", "main~1").stdout
    assert "gone" not in text_of(broken)[1]
    assert write_known(broken) == f"0 known findings written to {broken.plugin / 'known.toml'}\n"
    assert "gone" not in broken.run("check", "--from", "v0.1.0").stdout


def test_the_same_findings_give_the_same_file_and_other_upstreams_stay(broken: Project) -> None:
    file = broken.plugin / "known.toml"
    before = file.read_text(encoding="utf-8")
    other = before[before.index("[[finding]]") :].replace('upstream = "engine"', 'upstream = "zebra"')
    file.write_text(f"{before}\n{other}", encoding="utf-8")
    assert "1 known finding written" in write_known(broken)
    assert file.read_text(encoding="utf-8") == f"{before}\n{other}"
    assert 'baseline = "known.toml" in the configuration' in write_known(broken)


def test_sarif_says_which_results_are_new(broken: Project) -> None:
    def states() -> list[tuple[str, str | None]]:
        done = broken.run("check", "--from", "v0.1.0", "--engine", "contracts", "--format", "sarif")
        log = json.loads(done.stdout)
        valid(log)
        return [(each["ruleId"], each.get("baselineState")) for each in log["runs"][0]["results"]]

    assert states() == [("parameter-removed", None)]
    configure(broken)
    broken.write({"src/plugin/other.py": "from engine.text import clean\n\nclean('x', strict=True)\n"})
    assert states() == [("parameter-removed", "new"), ("parameter-removed", "unchanged")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "is not there: syncbot check --write-baseline"),
        ("[[finding]]\nid = 3\n", "known.toml: finding"),
    ],
)
def test_a_file_that_is_missing_or_damaged(broken: Project, text: str | None, words: str) -> None:
    configure(broken)
    (broken.plugin / "known.toml").unlink()
    if text is not None:
        broken.write({"known.toml": text})
    done = broken.run("check", "--from", "v0.1.0", "--engine", "contracts")
    assert (done.exit_code, words in done.stderr, done.stderr.count("\n")) == (2, True, 1), done.stderr


def test_a_file_named_on_the_command_line(broken: Project, tmp_path: Path) -> None:
    file = tmp_path / "elsewhere.toml"
    (broken.plugin / "known.toml").rename(file)
    assert text_of(broken, "--baseline", str(file))[0] == 0
    refused = broken.run("check", "--write-baseline", str(file), "--output", "report.md")
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
