from __future__ import annotations

import re
from importlib.resources import files

import pytest

from syncbot.errors import UsageError
from syncbot.report.catalogue import languages
from syncbot.site.catalogue import words
from tests.report.test_catalogue import same_fields

TEMPLATES = files("syncbot.site") / "templates"
SITE = files("syncbot.site")


@pytest.mark.parametrize("language", languages())
def test_every_language_of_reports_has_the_same_keys_and_fields(language: str) -> None:
    same_fields(words("en").entries, words(language).entries)


def test_every_word_is_used() -> None:
    """A key stands in a template or in the code, or is put together from a prefix that does."""
    texts = [f.read_text("utf-8") for folder in (TEMPLATES, SITE) for f in folder.iterdir() if f.is_file()]
    text = "\n".join(texts)
    prefixes = ("status_", "kind_")
    short = (
        "matrix",
        "activity",
        "patches",
        "hot_spots",
        "pass",
        "fail",
        "stale",
        "unsupported",
        "unknown",
        "backward",
        "forward",
    )
    keys = [key.removeprefix("site_") for key in words("en").entries if key.startswith("site_")]
    asked = [key for key in keys if key.removesuffix("_means") not in short and not key.startswith(prefixes)]
    assert [key for key in asked if not re.search(rf"\bsite_{key}\b", text)] == []


def test_an_unknown_language_names_those_there_are() -> None:
    with pytest.raises(UsageError, match="--lang takes en, zh"):
        words("fr")
