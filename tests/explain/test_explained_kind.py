from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import syncbot.cli
from syncbot.contracts.change_codes import codes, kind_named
from syncbot.contracts.changes import ChangeKind

KINDS = (Path(__file__).parents[2] / "docs/kinds.md").read_text(encoding="utf-8")


def test_each_kind_has_one_code_and_a_page() -> None:
    assert set(codes()) == set(ChangeKind)
    assert len(set(codes().values())) == len(ChangeKind)
    for kind, code in codes().items():
        assert kind_named(code) is kind_named(code.lower()) is kind_named(kind) is kind
        assert f"\n**{code}** " in KINDS.partition(f"\n## {kind}\n")[2].partition("\n## ")[0]
    assert kind_named("SB999") is None


def test_explain_tells_what_a_code_means_without_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = CliRunner().invoke(syncbot.cli.main, ["explain", "sb207"]).stdout
    assert text.startswith("SB207 parameter-removed\n")
    assert "\n  -def" in text
    assert "\n  +def" in text
    known = json.loads(CliRunner().invoke(syncbot.cli.main, ["explain", "SB207", "--format", "json"]).stdout)
    assert (known["code"], known["kind"]) == ("SB207", "parameter-removed")
    wrong = CliRunner().invoke(syncbot.cli.main, ["explain", "SB299"])
    assert (wrong.exit_code, "no kind has the code SB299; the nearest is SB2" in wrong.stderr) == (
        2,
        True,
    )
