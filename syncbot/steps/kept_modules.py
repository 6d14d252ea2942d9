"""Modules that keep all that they said: a commit changes only comments and docstrings, or adds entries."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from syncbot.api.every_node import every_node
from syncbot.impact.changed_files import path_of
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Commit, FileChange


def keeps_all(repository: GitRepository, commit: Commit, module: str) -> bool:
    """Whether all files of a commit that may be a module keep what they said, but for the text of comments
    and docstrings. New keys of a dictionary at the top, and new declarations for type checkers, may be added.
    A docstring that comes or goes, a renamed file, and one that cannot be read count as changed. Raises
    EnvironmentFailure."""
    files = [file for file in commit.files if _may_be(path_of(file), module)]
    return bool(files) and all(_kept(repository, file) for file in files)


def _may_be(path: str, module: str) -> bool:
    stem = path.removesuffix(".pyi").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f".{stem}".endswith(f".{module}")


def _kept(repository: GitRepository, file: FileChange) -> bool:
    if file.old_path != file.new_path or not file.old_blob or not file.new_blob:
        return False
    try:
        before, after = (_statements(repository.blob(blob)) for blob in (file.old_blob, file.new_blob))
        return len(before) == len(after) and all(map(_statement_kept, before, after))
    except (SyntaxError, ValueError, RecursionError):
        return False


def _statements(text: bytes) -> list[ast.stmt]:
    """The statements of a module, with one text in the place of every string that stands alone."""
    tree = ast.parse(text)
    for node in every_node(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as said):
                said.value = ""
    return tree.body


def _statement_kept(before: ast.stmt, after: ast.stmt) -> bool:
    match before, after:
        case (ast.Assign(value=ast.Dict() as old), ast.Assign(value=ast.Dict() as new)) | (
            ast.AnnAssign(value=ast.Dict() as old),
            ast.AnnAssign(value=ast.Dict() as new),
        ) if _entries_kept(old, new):
            new.keys, new.values = old.keys, old.values
        case (
            ast.If(test=ast.Name("TYPE_CHECKING"), orelse=[]),
            ast.If(test=ast.Name("TYPE_CHECKING"), orelse=[]),
        ):
            return _among(map(ast.dump, before.body), map(ast.dump, after.body))
    return ast.dump(before) == ast.dump(after)


def _entries_kept(before: ast.Dict, after: ast.Dict) -> bool:
    """Whether a dictionary has all entries that it had, in their order, and no key twice."""
    keys = [key.value if isinstance(key, ast.Constant) else None for key in after.keys]
    return len({*keys, None}) == len(keys) + 1 and _among(_entries(before), _entries(after))


def _entries(mapping: ast.Dict) -> Sequence[str]:
    return [
        f"{ast.dump(key)}: {ast.dump(value)}"
        for key, value in zip(mapping.keys, mapping.values, strict=True)
        if key is not None
    ]


def _among(before: Iterable[str], after: Iterable[str]) -> bool:
    """Whether all of some texts are among others, in their order."""
    rest = iter(after)
    return all(each in rest for each in before)
