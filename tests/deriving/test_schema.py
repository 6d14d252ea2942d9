from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
import yaml

from syncbot.deriving import schema
from tests.deriving.test_write import YAML

ROOT = Path(__file__).parents[2]


def test_the_published_schema_is_current_and_accepts_what_the_model_does() -> None:
    assert (ROOT / "docs/schemas/derived.json").read_text(encoding="utf-8") == schema.text()
    document = schema.schema()
    jsonschema.Draft202012Validator.check_schema(document)
    jsonschema.validate(yaml.safe_load(YAML), document)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(YAML.replace("by: 2", "bye: 2")), document)


def test_every_declaration_of_the_project_fits_it() -> None:
    for file in (ROOT / "derived").glob("*.yaml"):
        jsonschema.validate(yaml.safe_load(file.read_text(encoding="utf-8")), schema.schema())
