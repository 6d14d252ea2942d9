"""The words of reports in one language, from a catalogue file; a language is one file in ``catalogues``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from syncbot.errors import UsageError

_FOLDER = files("syncbot.report") / "catalogues"


@dataclass(frozen=True, slots=True)
class Words:
    """A catalogue: ``words("fix")``, ``words("title_day", first=day)``, ``words.count("commits", 3)``."""

    language: str
    entries: Mapping[str, str | Mapping[str, str]]

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key, with values in the place of their names in braces."""
        text = self.entries[key]
        if not isinstance(text, str):
            raise KeyError(f"{key} has plural forms: ask for it with count()")
        return text.format(**values)

    def count(self, key: str, number: int, **values: object) -> str:
        """The text of a key in the plural form that the number takes; ``{n}`` is the number."""
        forms = self.entries[key]
        if isinstance(forms, str):
            raise KeyError(f"{key} has no plural forms")
        return (forms.get("one", forms["other"]) if number == 1 else forms["other"]).format(
            n=number, **values
        )


def languages() -> list[str]:
    """The languages that there is a catalogue of, in alphabetical order."""
    return sorted(f.name.removesuffix(".yaml") for f in _FOLDER.iterdir() if f.name.endswith(".yaml"))


@cache
def words(language: str) -> Words:
    """The catalogue of a language. Raises UsageError, naming those there are, if there is none."""
    import yaml

    if language not in languages():
        raise UsageError(f"there are no reports in {language!r}: --lang takes {', '.join(languages())}")
    text = (_FOLDER / f"{language}.yaml").read_text(encoding="utf-8")
    return Words(language, yaml.safe_load(text))
