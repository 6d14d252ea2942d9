from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from syncbot.errors import ConfigurationError
from syncbot.patching import model

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/patch.json").read_text(encoding="utf-8"))

PATCH = """\
id: 123-thing
upstream:
  name: up
  pr: 123
  first_version: 2.0.0
symbol: up.Thing
reason: Upstream moved it.
rewrites:
  - rule: import_moved
    arguments:
      old: up.Thing
      new: up.things.Thing
notes: |
  Two
  lines.
"""


def test_a_patch_reads_and_writes_as_the_same_text() -> None:
    patch = model.parse(PATCH)
    assert model.dump(patch) == PATCH
    assert model.parse(model.dump(patch)) == patch
    assert [rule.name for rule in patch.rules()] == ["import_moved"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("symbol:", "symbl:", "p.yaml: unknown key 'symbl'; the nearest is 'symbol'"),
        ("  pr:", "  pull:", "p.yaml: unknown key 'upstream.pull'; the nearest is 'pr'"),
        ("import_moved", "import_move", "p.yaml: rewrites[0].rule: unknown rule 'import_move'; "
         "the nearest is 'import_moved'"),
        ("      old:", "      odl:", "p.yaml: rewrites[0].arguments of import_moved: unknown key 'odl'; the nearest is "),
        ("      new: up.things.Thing\n", "", "p.yaml: rewrites[0].arguments of import_moved: new: field required"),
        ("2.0.0", "two", "p.yaml: upstream.first_version: 'two' is not a PEP 440 version such as 0.32.0"),
        ("id: 123-thing", "id: 'a b'", "p.yaml: id: 'a b' may hold letters"),
        ("reason: Upstream", "reason: 'Upstream", "p.yaml:"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_one_line(old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        model.parse(PATCH.replace(old, new), "p.yaml")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


IDLE = PATCH[: PATCH.index("rewrites:")]


@pytest.mark.parametrize("ending", ["", "rewrites: []\n", "status: active\ncode: null\n"])
def test_an_active_patch_does_something(ending: str) -> None:
    with pytest.raises(ConfigurationError, match=r"p.yaml: the document: an active patch needs rewrites or"):
        model.parse(IDLE + ending, "p.yaml")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(IDLE + ending), SCHEMA)


@pytest.mark.parametrize("ending", ["status: needs-author\n", "status: retired\n", "code: 123-thing.py\n"])
def test_one_that_waits_or_brings_code_needs_no_rewrites(ending: str) -> None:
    assert model.parse(IDLE + ending).rewrites == ()
    jsonschema.validate(yaml.safe_load(IDLE + ending), SCHEMA)


def test_patches_are_loaded_oldest_first(tmp_path: Path) -> None:
    for name, version in (("a", "2.0.0"), ("b", "1.10.0"), ("c", "1.9.0")):
        text = PATCH.replace("123-thing", name).replace("2.0.0", version)
        (tmp_path / f"{name}.yaml").write_text(text)
    assert [patch.id for patch in model.load(tmp_path)] == ["c", "b", "a"]
    assert model.load(tmp_path / "missing") == []


def test_the_name_of_the_file_is_the_id(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(PATCH)
    with pytest.raises(ConfigurationError, match=r"id is '123-thing', the file's name says 'other'"):
        model.load(tmp_path)


def test_the_published_schema_accepts_what_the_model_does() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(yaml.safe_load(PATCH), SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(PATCH.replace("      old:", "      odl:")), SCHEMA)


def test_the_projects_own_patches_are_valid() -> None:
    folder = Path(__file__).parents[2] / "patches"
    for patch in model.load(folder):
        assert patch.id == model.parse((folder / f"{patch.id}.yaml").read_text(encoding="utf-8")).id
