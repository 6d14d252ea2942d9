"""Upstream's parts that a backend may meet without a contract: requirements, operators, command options."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from syncbot.api.every_node import every_node
from syncbot.impact.changed_files import Kind, kind_of, path_of, requires
from syncbot.impact.facts.native import is_native
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Commit, FileChange

_PYTHON = (".py", ".pyi")
# Requirements that no user of a package installs, told from a word of their path.
_FOR_DEVELOPERS = re.compile(r"(?:^|[-_./])(?:test|tests|lint|docs?|dev|develop)(?=[-_./])")
_WORD = re.compile(rb"[A-Za-z_]\w+")
# Where C++ gives something to Python: an operator, a method or a module.
_GIVES = rb"\.(?:def|impl)\w*\(|TORCH_LIBRARY|PYBIND11_|PyInit_|PyModuleDef|PyMethodDef"
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
# A condition or macro, with its continued lines, or a statement that gives something.
_GIVING = re.compile(
    rb"^[ \t]*#[ \t]*(?:if|el|end|def|undef)(?:[^\n]*\\\n)*[^\n]*|[^;{}#]*(?:" + _GIVES + rb")[^;]*;?",
    re.MULTILINE,
)


def may_be_met_unnamed(repository: GitRepository, replaced: Collection[str], commit: Commit) -> bool:
    """Whether a commit changes requirements of users, how compiled code is given to Python, other code
    that is not Python, or the options of a command, or whether a module begins to use a class that the
    backend has replaced. Raises EnvironmentFailure."""
    required = (path for path in commit.paths if requires(path) and not _FOR_DEVELOPERS.search(path))
    return any(required) or any(_met(repository, replaced, file) for file in commit.files)


def _met(repository: GitRepository, replaced: Collection[str], file: FileChange) -> bool:
    path = path_of(file)
    if not _installed(path):
        return False
    if not (path.endswith(_PYTHON) or is_native(path)):
        return kind_of(path) is Kind.CODE
    texts = [repository.blob(blob) if blob else b"" for blob in (file.old_blob, file.new_blob)]
    if path.endswith(_PYTHON):
        return _options(texts[0]) != _options(texts[1]) or _begins_to_use(replaced, texts[0], texts[1])
    return _given(texts[0]) != _given(texts[1])


def _given(text: bytes) -> list[bytes]:
    """The statements that give something to Python, with all conditions and macros; empty if none does."""
    code = _COMMENT.sub(b"", text)
    return [b"".join(each.split()) for each in _GIVING.findall(code)] if re.search(_GIVES, code) else []


def _begins_to_use(replaced: Collection[str], before: bytes, after: bytes) -> bool:
    """Whether a text has one of some names and had not before; a new module has none that worked before."""
    words = set(_WORD.findall(after)) - set(_WORD.findall(before)) if before else set()
    return any(word.decode() in replaced for word in words)


def _options(text: bytes) -> list[str]:
    """The options that a module declares for a command, which people and tests start in a shell: the calls of
    ``add_argument``, help included, as it says what an option means. The text itself if it cannot be read."""
    if b".add_argument(" not in text:
        return []
    try:
        calls = [node for node in every_node(ast.parse(text)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError):
        return [text.decode("utf-8", "replace")]
    return [
        ast.unparse(c) for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "add_argument"
    ]


def _installed(path: str) -> bool:
    """Whether a file may be what a user of upstream runs: its code, and tools inside of a package of it."""
    top = path.partition("/")[0]
    return kind_of(path) is Kind.CODE or (kind_of(path) is Kind.TOOLS and kind_of(f"{top}/x.py") is Kind.CODE)
