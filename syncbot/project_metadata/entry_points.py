"""The entry points by which others load a project, as its metadata declares them.

Source: the entry points specification of the Python Packaging Authority.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from syncbot.project_metadata.documents import Documents, at, literal

#: What a shell starts, and no other program loads.
_SCRIPTS = {"console_scripts", "gui_scripts"}


def loaded_names(root: Path) -> frozenset[str]:
    """Return the dotted names that the entry points of a project name, scripts among them; nothing where it
    has scripts alone, or where ``root`` and the folder above its package declare none."""
    folders = (root, root.parent) if (root / "__init__.py").is_file() else (root,)
    named = [pair for folder in folders for pair in _declared(Documents(folder))]
    if all(group in _SCRIPTS for group, _ in named):
        return frozenset()
    return frozenset(target.partition("[")[0].replace(":", ".").replace(" ", "") for _, target in named)


def named_targets(root: Path) -> tuple[tuple[str, str], ...]:
    """Return the groups of a project's entry points, each with a line ``name = module:attribute``."""
    return tuple(_listed(Documents(root)))


def _declared(documents: Documents) -> Iterator[tuple[str, str]]:
    """The groups and the targets of a project's entry points, ``module:attribute``."""
    for group, line in _listed(documents):
        yield group, line.partition("=")[2].strip()


def _listed(documents: Documents) -> Iterator[tuple[str, str]]:
    """The groups of a project's entry points, and the lines in them."""
    project, poetry = at(documents.pyproject, "project"), at(documents.pyproject, "tool", "poetry")
    for table, group in (
        (at(project, "scripts"), "console_scripts"), (at(project, "gui-scripts"), "gui_scripts"),
        (at(poetry, "scripts"), "console_scripts"),
    ):  # fmt: skip
        yield from _targets(group, table)
    config = documents.setup_cfg
    in_config = dict(config["options.entry_points"]) if config.has_section("options.entry_points") else {}
    in_script = literal(documents.setup_arguments.get("entry_points"))
    written = documents.built_entry_points
    built = {group: dict(written[group]) for group in written.sections()}
    for tables in (at(project, "entry-points"), at(poetry, "plugins"), in_config, in_script, built):
        for group, table in tables.items() if isinstance(tables, Mapping) else ():
            yield from _targets(str(group), table)


def _targets(group: str, table: object) -> Iterator[tuple[str, str]]:
    """The lines of one group: a table of names, or lines with ``name = target``."""
    if isinstance(table, Mapping):
        listed = [f"{name} = {target}" for name, target in table.items() if isinstance(target, str)]
    else:
        lines = table.splitlines() if isinstance(table, str) else table
        whole = [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
        listed = [line.strip() for line in whole if "=" in line]
    yield from ((group, line) for line in listed)
