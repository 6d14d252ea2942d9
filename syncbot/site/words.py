"""The words of the site in one language: those of reports, and a catalogue of its own beside them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import yaml

from syncbot.report import words as report_words
from syncbot.report.words import Words

_FOLDER = files("syncbot.site") / "catalogues"


@cache
def words(language: str) -> Words:
    """The catalogue of a language, site and reports together; the site's keys begin with ``site_``.

    Raises UsageError, naming those there are, if there is none.
    """
    reports = report_words.words(language)
    own = yaml.safe_load((_FOLDER / f"{language}.yaml").read_text(encoding="utf-8"))
    other = own.pop("reports")
    return Words(language, {**reports.entries, **other, **{f"site_{key}": own[key] for key in own}})
