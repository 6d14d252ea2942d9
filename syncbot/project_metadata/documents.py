"""The files in which a project describes itself, read without running any."""

from __future__ import annotations

import ast
import configparser
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from functools import cached_property
from pathlib import Path
from typing import Any

from syncbot.configuration_file import parsed_toml
from syncbot.limits import document_text


def text_of(file: Path) -> str:
    """Return the text of a file, empty where it has none that can be read."""
    try:
        return document_text(file)
    except (OSError, ValueError):
        return ""


def at(document: object, *keys: str) -> Any:
    """Return what stands at the end of a path of keys, None where the path ends before."""
    for key in keys:
        if not isinstance(document, Mapping):
            return None
        document = document.get(key)
    return document


def texts(value: object) -> list[str]:
    """Return the texts of a list or tuple; of anything else, none."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list | tuple) else []


@dataclass(frozen=True)
class Documents:
    """``pyproject.toml``, ``setup.cfg`` and the call of ``setup`` in ``setup.py`` of a project; what a build
    wrote of it, where it is an unpacked wheel or source distribution. What is damaged counts as empty:
    whoever builds the project says so better."""

    root: Path

    @cached_property
    def pyproject(self) -> Mapping[str, Any]:
        """The document in ``pyproject.toml``."""
        try:
            return parsed_toml(text_of(self.root / "pyproject.toml"))
        except ValueError:
            return {}

    @cached_property
    def setup_cfg(self) -> configparser.ConfigParser:
        """The sections of ``setup.cfg``."""
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(text_of(self.root / "setup.cfg"))
        except configparser.Error:
            return configparser.ConfigParser()
        return parser

    @cached_property
    def setup_arguments(self) -> Mapping[str, ast.expr]:
        """The arguments by name of ``setup(…)`` in ``setup.py``."""
        try:
            tree = ast.parse(text_of(self.root / "setup.py"))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return {}
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        for call in calls:
            named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if named == "setup":
                known = _assigned_once(tree)
                given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
                return {
                    name: known.get(value.id, value) if isinstance(value, ast.Name) else value
                    for name, value in given.items()
                }
        return {}

    @cached_property
    def built(self) -> Path | None:
        """The folder of what a build wrote: the one ``*.dist-info`` of an unpacked wheel, or the one
        ``*.egg-info`` of a source distribution. Where there are several, many are installed here and none is
        meant; a checkout's own ``*.egg-info`` may be of long ago."""
        patterns = ["*.dist-info"]
        if (self.root / "PKG-INFO").is_file():
            patterns += ["*.egg-info", "src/*.egg-info"]
        found = [folder for pattern in patterns for folder in self.root.glob(pattern) if folder.is_dir()]
        return found[0] if len(found) == 1 else None

    @cached_property
    def built_file(self) -> str | None:
        """The path of the metadata that a build wrote, below the project."""
        places = [self.root / "PKG-INFO"]
        if self.built is not None:
            places.insert(0, self.built / "METADATA")
        return next((p.relative_to(self.root).as_posix() for p in places if p.is_file()), None)

    @cached_property
    def built_metadata(self) -> Message:
        """The fields of that metadata, the texts of each in its order."""
        return HeaderParser().parsestr(text_of(self.root / self.built_file) if self.built_file else "")

    @cached_property
    def built_entry_points(self) -> configparser.ConfigParser:
        """The groups of ``entry_points.txt`` that a build wrote."""
        parser = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=False)
        parser.optionxform = str  # type: ignore[method-assign,assignment]
        try:
            parser.read_string(text_of(self.built / "entry_points.txt") if self.built is not None else "")
        except configparser.Error:
            return configparser.ConfigParser()
        return parser

    @property
    def name(self) -> str | None:
        """The name of the distribution, where a file says it."""
        named = at(self.pyproject, "project", "name") or at(self.pyproject, "tool", "poetry", "name")
        if not named:
            named = self.setup_cfg.get("metadata", "name", fallback=None)
        if not named:
            named = literal(self.setup_arguments.get("name"))
        if not isinstance(named, str):
            named = self.built_metadata.get("Name")
        return named if isinstance(named, str) else None


def _assigned_once(tree: ast.Module) -> Mapping[str, ast.expr]:
    """The values of a module's names that are assigned once, and nowhere added to."""
    names = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    return {
        target.id: node.value
        for node in assigned
        for target in node.targets
        if isinstance(target, ast.Name) and names.count(target.id) == 1
    }


def literal(node: ast.expr | None) -> object:
    """Return the value of an expression of constants, None for any other."""
    try:
        return ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
