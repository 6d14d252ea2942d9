from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.deriving.test_write import YAML

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/schemas/derived.json").read_text(encoding="utf-8"))


def test_the_published_schema_accepts_what_the_model_does() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(yaml.safe_load(YAML), SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(YAML.replace("by: 2", "bye: 2")), SCHEMA)


def test_every_declaration_of_the_project_fits_it() -> None:
    for file in (ROOT / "patches/derived").glob("*.yaml"):
        jsonschema.validate(yaml.safe_load(file.read_text(encoding="utf-8")), SCHEMA)
