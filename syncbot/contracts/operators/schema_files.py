"""Files of operator schemas, read as a ``torch.library.define`` for each operator: a list of entries, each
with a schema as its ``func``, or the schema itself
(https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from syncbot.contracts.configured_facts import SchemaFile

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def as_python(text: bytes, schemas: SchemaFile) -> bytes:
    """A module that defines the operators of a schema file, line for line. What is no YAML stays as it is."""
    try:
        document = yaml.compose(text, Loader=_LOADER)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return text
    lines: dict[int, list[str]] = {}
    for line, schema in _schemas(document, schemas.sections):
        call = f"torch.library.define({f'{schemas.namespace}::{schema}'!r})"
        lines.setdefault(line, []).append(call)
    last = max(lines, default=-1)
    return "".join("; ".join(lines.get(line, ())) + "\n" for line in range(last + 1)).encode()


def _schemas(document: Any, sections: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """The line and text of each schema, in the order of the file."""
    for key, entries in _pairs(document):
        if key.value not in sections or not isinstance(entries, yaml.SequenceNode):
            continue
        for entry in entries.value:
            declared = [value for key, value in _pairs(entry) if key.value == "func"] or [entry]
            if isinstance(declared[0], yaml.ScalarNode):
                yield declared[0].start_mark.line, " ".join(declared[0].value.split())


def _pairs(node: Any) -> list[tuple[Any, Any]]:
    if not isinstance(node, yaml.MappingNode):
        return []
    return [(key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)]
