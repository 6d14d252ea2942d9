"""How a project's formatter lays out its sources, told from its configuration files: ruff's and black's, and
how long others let a line be."""

from __future__ import annotations

import configparser
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from syncbot.configuration_file import parsed_toml
from syncbot.project_metadata.documents import at, text_of

#: The width that ruff and black have where none is configured.
USUAL_WIDTH = 88
_RUFF = (".ruff.toml", "ruff.toml")
_INI = ("setup.cfg", "tox.ini", ".flake8")
_WIDTHS = (("flake8", "max-line-length"), ("pycodestyle", "max-line-length"), ("yapf", "column_limit"))


@dataclass(frozen=True, slots=True)
class FormatterSettings:
    """The longest line that a project's tools allow, None where none of them says so; how its formatter
    quotes strings, and whether it lets a last comma decide."""

    width: int | None = None
    quotes: str = "preserve"
    magic_comma: bool = True


def formatter_settings(folder: Path) -> FormatterSettings:
    """Return what the files say in a folder, or in the nearest one around it that says anything, up to the
    top of its repository. What cannot be read says nothing."""
    inside = folder.resolve()
    for place in (inside, *inside.parents):
        found = list(_said(place))
        if found:
            return _together(found)
        if (place / ".git").exists():
            break
    return FormatterSettings()


def _together(found: list[FormatterSettings]) -> FormatterSettings:
    """Return one setting for several tools: the longest line, and the quotes of the first with an opinion."""
    quotes = next((each.quotes for each in found if each.quotes != "preserve"), "preserve")
    width = max(each.width or USUAL_WIDTH for each in found)
    return FormatterSettings(width, quotes, all(each.magic_comma for each in found))


def _said(folder: Path) -> Iterator[FormatterSettings]:
    """Yield the settings of each tool in one folder."""
    project = _toml(folder / "pyproject.toml")
    ruffs = [_toml(folder / name) for name in _RUFF if (folder / name).is_file()]
    ruffs += [at(project, "tool", "ruff")] if isinstance(at(project, "tool", "ruff"), Mapping) else []
    for ruff in ruffs:
        layout = at(ruff, "format")
        quotes = str(at(layout, "quote-style") or "double") if isinstance(layout, Mapping) else "preserve"
        magic = at(layout, "skip-magic-trailing-comma") is not True
        yield FormatterSettings(_number(at(ruff, "line-length")), quotes, magic)
    if isinstance(at(project, "tool", "black"), Mapping):
        black = {str(key).replace("_", "-"): value for key, value in project["tool"]["black"].items()}
        quotes = "preserve" if black.get("skip-string-normalization") is True else "double"
        magic = black.get("skip-magic-trailing-comma") is not True
        yield FormatterSettings(_number(black.get("line-length")), quotes, magic)
    yapf = _number(at(project, "tool", "yapf", "column_limit"))
    if yapf is not None:
        yield FormatterSettings(yapf)
    for name in _INI:
        parser = _ini(folder / name)
        widths = (parser.get(section, key, fallback="") for section, key in _WIDTHS)
        yield from (FormatterSettings(int(width)) for width in widths if width.isdigit())


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _toml(file: Path) -> Mapping[str, Any]:
    try:
        return parsed_toml(text_of(file))
    except ValueError:
        return {}


def _ini(file: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text_of(file))
    except configparser.Error:
        return configparser.ConfigParser()
    return parser
