"""``syncbot config``: what is in force, where it comes from, and the schema of it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

import syncbot.cli

ROOT = Path(__file__).parents[2]
OWN = (
    'index = "https://me:secret@index.example/simple"\n[upstreams.toy]\npackages = ["toy"]\nrelease = "toy"\n'
)


def run(*arguments: str) -> str:
    done = CliRunner().invoke(syncbot.cli.main, ["config", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "my_plugin").mkdir()
    (tmp_path / "my_plugin/__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "syncbot.toml").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIP_INDEX_URL", "https://you:secret@other.example/simple")
    return tmp_path


def test_each_setting_says_where_it_comes_from(plugin: Path) -> None:
    lines = [" ".join(line.split()) for line in run().splitlines()]
    assert lines[0] == f'packages = ["my_plugin"] # found in {plugin}'
    assert 'upstreams.toy.packages = ["toy"] # syncbot.toml' in lines
    assert 'upstream = "toy" # the first upstream' in lines
    assert 'PIP_INDEX_URL = "https://other.example/simple" # environment' in lines
    assert 'index = "https://index.example/simple" # syncbot.toml' in lines
    assert 'patches = "patches" # default' in lines
    rows = {row["key"]: row for row in json.loads(run("--format", "json"))}
    assert rows["upstreams.toy.release"] == {
        "key": "upstreams.toy.release",
        "value": "toy",
        "origin": "syncbot.toml",
    }


def test_a_chosen_file_is_named(plugin: Path) -> None:
    (plugin / "other.toml").write_text("refresh_hours = 3\n", encoding="utf-8")
    lines = [" ".join(line.split()) for line in run("--config", "other.toml").splitlines()]
    assert "refresh_hours = 3.0 # other.toml" in lines


def test_the_schema_takes_what_is_read_and_refuses_the_rest() -> None:
    schema = json.loads(run("--schema"))
    assert schema == json.loads((ROOT / "docs/schemas/configuration.json").read_text(encoding="utf-8"))
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["syncbot"]
    jsonschema.validate(table, schema)
    jsonschema.validate(tomllib.loads(OWN), schema)
    for wrong in ({"source": []}, {"root": "/"}, {"apart": "/"}, {"upstreams": {"toy": {"brunch": "main"}}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)
