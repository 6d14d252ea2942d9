"""Reviewed YAML documents: validated with one line for a mistake, and written the same way each time."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from syncbot.config import model_at
from syncbot.errors import ConfigurationError
from syncbot.limits import document_text

Model = TypeVar("Model", bound=BaseModel)
Kind = TypeVar("Kind")

# The fast loader of libyaml where it is there; what it gives is the same.
# A matrix of 200 lanes has some 30,000.
_MOST_NODES = 1_000_000
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Document(BaseModel):
    """A document or a part of one: it does not change, and has no keys but its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class _Named(Protocol):
    @property
    def id(self) -> str: ...


Named = TypeVar("Named", bound=_Named)


def parse(text: str, model: type[Model], what: str, name: str) -> Model:
    """The model in a YAML text; ``name`` stands in messages. Raises ConfigurationError with line, key and
    nearest key."""
    try:
        document = loaded(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{name}:{mark.line + 1}" if mark is not None else name
        reason = getattr(error, "problem", None) or " ".join(str(error).split())
        raise ConfigurationError(f"{where}: not valid YAML: {reason}") from error
    except (ValueError, RecursionError, OverflowError) as error:
        deep = isinstance(error, RecursionError)
        raise ConfigurationError(
            f"{name}: not valid YAML: {'it is nested too deeply' if deep else error}"
        ) from error
    if not isinstance(document, dict):
        keys = ", ".join(model.model_fields)
        raise ConfigurationError(f"{name}: {what} is a mapping with the keys {keys}")
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise ConfigurationError(f"{name}: {first_mistake(error, model)}") from error


def loaded(text: str) -> Any:
    """The value in a YAML text. Raises ValueError for aliases that lead to themselves or unfold to very much,
    else as PyYAML does."""
    loader = _LOADER(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if _unfolded(node, {}) > _MOST_NODES:
            raise ValueError(f"with its aliases unfolded it has more than {_MOST_NODES:,} values")
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _unfolded(node: yaml.Node, known: dict[int, int | None]) -> int:
    """How many values a node holds, what aliases stand for counted each time."""
    if id(node) not in known:
        known[id(node)] = None
        inner = node.value if isinstance(node, yaml.SequenceNode) else ()
        if isinstance(node, yaml.MappingNode):
            inner = [part for pair in node.value for part in pair]
        known[id(node)] = 1 + sum(_unfolded(part, known) for part in inner)
    count = known[id(node)]
    if count is None:
        raise ValueError("an alias leads to its own value")
    return count


def load_file(file: Path, parse: Callable[[str, str], Named]) -> Named:
    """Return what ``parse`` makes of a file's text and name. Raises ConfigurationError."""
    try:
        text = document_text(file)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: cannot be read: {error}") from error
    found = parse(text, str(file))
    if found.id != file.stem:
        raise ConfigurationError(f"{file}: id is {found.id!r}, the file's name says {file.stem!r}")
    return found


def chosen(what: str, name: str, known: Mapping[str, Kind]) -> Kind:
    """Return the kind of that name. Raises ConfigurationError that names the nearest one."""
    if name not in known:
        near = difflib.get_close_matches(name, known, 1, 0)
        raise ConfigurationError(f"unknown {what} {name!r}; the nearest is {near[0]!r}")
    return known[name]


def check_arguments(
    parts: Iterable[tuple[str, Callable[[], BaseModel]]],
    find: Callable[[str], type[BaseModel]],
    key: str,
    kind: str,
    name: str,
) -> None:
    """Build each part by the name of its kind. Raises ConfigurationError for a mistake in its arguments."""
    for at, (chosen, build) in enumerate(parts):
        try:
            build()
        except ConfigurationError as error:
            raise ConfigurationError(f"{name}: {key}[{at}].{kind}: {error}") from error
        except ValidationError as error:
            mistake = first_mistake(error, find(chosen))
            raise ConfigurationError(f"{name}: {key}[{at}].arguments of {chosen}: {mistake}") from error


def to_yaml(document: Mapping[str, Any]) -> str:
    """Return a document as block-style YAML in the order of its keys; texts of several lines as blocks."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def first_mistake(error: ValidationError, model: type[BaseModel]) -> str:
    """Return one line for the first mistake: its key, what is wrong and the nearest known key."""
    found = sorted(error.errors(), key=lambda e: e["type"] != "extra_forbidden")[0]
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in found["loc"]).lstrip(".")
    if found["type"] == "extra_forbidden":
        known = list(model_at(model, found["loc"][:-1]).model_fields)
        near = difflib.get_close_matches(str(found["loc"][-1]), known, 1, 0)
        return f"unknown key {where!r}; the nearest is {near[0]!r}" if near else f"unknown key {where!r}"
    message = found["msg"].removeprefix("Value error, ")
    return f"{where or 'the document'}: {message[:1].lower()}{message[1:]}"


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)
