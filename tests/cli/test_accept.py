"""Findings that are accepted by a comment, by path and kind, and by id: counted, and no reason to fail."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from .conftest import PLUGIN, Project

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/report.json").read_text(encoding="utf-8"))
FILE = "src/plugin/worker.py"
LINE = 'self.name = clean("fast", strict=True)'


@pytest.fixture
def broken(project: Project) -> Project:
    """Upstream removed what the plugin passes."""
    project.change("engine/text.py", ", strict: bool = False", "")
    return project


def report(project: Project) -> dict[str, Any]:
    found = project.check("v0.1.0")
    jsonschema.validate(found, SCHEMA)
    return found


def write(project: Project, old: str, new: str) -> None:
    project.write({FILE: PLUGIN[FILE].replace(old, new)})


@pytest.mark.parametrize(
    "comment",
    ["# syncbot: ignore[parameter-removed] pinned", "# syncbot: ignore[SB207, type-changed]: pinned"],
)
def test_a_comment_in_the_line_or_above_it(broken: Project, comment: str) -> None:
    for new in (f"{LINE}  {comment}", f"{comment}\n        {LINE}"):
        write(broken, LINE, new)
        found = report(broken)
        assert (found["impacts"], found["stale"]) == ([], [])
        assert [(each["by"], each["reason"]) for each in found["accepted"]] == [("comment", "pinned")]
    text = broken.run("check", "--from", "v0.1.0", "--engine", "contracts")
    assert (text.exit_code, "Accepted: 1 (1 by comment)." in text.stdout) == (0, True)


@pytest.mark.parametrize(
    ("comment", "why"),
    [
        ("# syncbot: ignore why", "it names no kind"),
        ("# syncbot: ignore[parameter-removed]", "it gives no reason"),
        ("# syncbot: ignore[parameter-lost] why", "no kind is called parameter-lost"),
        ("# syncbot: ignore[type-changed] why", None),
    ],
)
def test_a_comment_that_does_not_count(broken: Project, comment: str, why: str | None) -> None:
    write(broken, LINE, f"{LINE}  {comment}")
    found = report(broken)
    assert [i["kind"] for i in found["impacts"]] == ["parameter-removed"]
    assert len(found["stale"]) == (why is not None)
    assert why is None or f"{FILE}:9: {why}" in found["stale"][0]


def test_a_comment_where_nothing_relies_on_upstream_is_told(broken: Project) -> None:
    write(
        broken,
        "return len(head",
        "pass  # syncbot: ignore[parameter-removed] long ago\n        return len(head",
    )
    found = report(broken)
    assert found["stale"] == [f"{FILE}:13: nothing in its line relies on this upstream"]
    assert len(found["impacts"]) == 1


def test_by_path_and_kind(broken: Project) -> None:
    rule = '[[tool.syncbot.ignore]]\npath = "src/plugin/*"\nkinds = ["SB207"]\nreason = "legacy"\n'
    gone = '[[tool.syncbot.ignore]]\npath = "src/old/*"\nkinds = ["parameter-lost"]\nreason = "x"\n'
    broken.write({"pyproject.toml": PLUGIN["pyproject.toml"] + rule + gone})
    found = report(broken)
    assert [(each["by"], each["reason"]) for each in found["accepted"]] == [("configuration", "legacy")]
    assert found["stale"] == [
        "ignore src/old/*: there is no such file",
        "ignore src/old/*: no kind is called parameter-lost",
    ]


def test_by_id_until_a_day(broken: Project) -> None:
    (impact,) = report(broken)["impacts"]
    for number, day in enumerate(("2020-01-01", "2999-12-31")):
        done = broken.run("accept", impact["id"], "--reason", "we know", "--author", "ada", "--expires", day)
        assert done.exit_code == 0, done.output
        found = report(broken)
        assert len(found["accepted"]) == number
        assert len(found["stale"]) == 1 - number
    file = broken.plugin / "accepted.toml"
    text = file.read_text(encoding="utf-8")
    assert text.count("[[finding]]") == 1
    file.write_text(text.replace(impact["id"], impact["id"][:8]) + "# mine\n", encoding="utf-8")
    assert len(report(broken)["accepted"]) == 1
    assert broken.run("accept", impact["id"][:8].upper(), "--reason", "another").exit_code == 0
    text = file.read_text(encoding="utf-8")
    assert ("# mine" in text, f'id = "{impact["id"]}"' in text) == (True, True)
    assert len(report(broken)["accepted"]) == 1


def test_an_id_that_no_report_has_is_refused(broken: Project, tmp_path: Path) -> None:
    def refused(*line: str) -> str:
        done = broken.run("accept", *line, "--reason", "x")
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1), done.output
        assert not (broken.plugin / "accepted.toml").exists()
        return done.stderr

    assert f"no report has 00000000ff, and no check of {broken.plugin} was run here" in refused("00000000ff")
    (impact,) = report(broken)["impacts"]
    sha = broken.git("rev-parse", "HEAD")[:10]
    assert f"not the last check of {broken.plugin}, engine v0.1.0..{sha}, nor any" in refused("00000000ff")
    file = tmp_path / "report.json"
    assert "cannot be read" in refused("00000000ff", "--report", str(file))
    file.write_text("{}", encoding="utf-8")
    assert "is no report" in refused("00000000ff", "--report", str(file))
    file.write_text(json.dumps({"impacts": [{"id": "0a" * 5}, {"id": "0a" * 4 + "bb"}]}), encoding="utf-8")
    assert "has no finding" in refused(impact["id"], "--report", str(file))
    assert "2 findings begin with 0a0a0a0a" in refused("0a0a0a0a", "--report", str(file))
    assert broken.run("accept", "0a" * 5, "--reason", "x", "--report", str(file)).exit_code == 0


def test_the_report_of_another_machine_has_it(broken: Project, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    found = report(broken)
    file.write_text(json.dumps(found), encoding="utf-8")
    shutil.rmtree(tmp_path / "cache")
    (impact,) = found["impacts"]
    done = broken.run("accept", impact["id"], "--reason", "x", "--report", str(file))
    assert (
        done.stdout
        == f"accepted in {broken.plugin / 'accepted.toml'}: {impact['id']} parameter-removed {impact['symbol']}\n"
    )
    assert report(broken)["impacts"] == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("nonsense", "--reason", "x"), "hexadecimal digits"),
        (("12345678", "--reason", " "), "and a reason"),
        (("12345678", "--reason", "x", "--expires", "soon"), "'soon' is not a day"),
    ],
)
def test_wrong_use(project: Project, line: tuple[str, ...], words: str) -> None:
    done = project.run("accept", *line)
    assert (done.exit_code, words in done.stderr, done.stderr.count("\n")) == (2, True, 1)
    assert not (project.plugin / "accepted.toml").exists()


@pytest.mark.parametrize("text", ["[[finding]]\nid = 3\n", "[[finding]\n", "finding = 3\n", "[other]\n"])
def test_a_damaged_file_is_told(broken: Project, text: str) -> None:
    broken.write({"accepted.toml": text})
    done = broken.run("check", "--from", "v0.1.0", "--engine", "contracts")
    assert (done.exit_code, "accepted.toml" in done.stderr, done.stderr.count("\n")) == (2, True, 1)
