"""The words of the site in one language: those of reports, and a catalogue of its own beside them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from syncbot.errors import UsageError
from syncbot.report import catalogue as report_words
from syncbot.report.catalogue import Words

_FOLDER = files("syncbot.site") / "catalogues"


def languages() -> list[str]:
    """The languages that the site and reports both have a catalogue of, in alphabetical order."""
    return [name for name in report_words.languages() if (_FOLDER / f"{name}.yaml").is_file()]


@cache
def words(language: str) -> Words:
    """The catalogue of a language; the site's keys have ``site_``. Raises UsageError if there is none."""
    import yaml

    if language not in languages():
        raise UsageError(f"there is no site in {language!r}: --lang takes {', '.join(languages())}")
    reports = report_words.words(language)
    own = yaml.safe_load((_FOLDER / f"{language}.yaml").read_text(encoding="utf-8"))
    other = own.pop("reports")
    return Words(language, {**reports.entries, **other, **{f"site_{key}": own[key] for key in own}})
