"""Remove the tests of versions that the project no longer supports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot import config as configuration
from syncbot.contracts.sources import SourceFile
from syncbot.impact.session import backend_of
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.version_gates.remove_gates import ungated
from syncbot.version_gates.version_tests import Gate, gate_of
from syncbot.workflows.migrate import worktree, write


@dataclass(frozen=True, slots=True)
class Ungated:
    """The files that lost gates, why others were left as they are, and the versions without any gate."""

    files: Sequence[str]
    refused: Sequence[str]
    missing: Sequence[str]


def ungate_backend(
    versions: Sequence[str], backend: Path, expression: str | None, check: bool, allow_dirty: bool
) -> Ungated:
    """Remove the gates of versions that nobody runs any more; all files or none, with ``check`` none.

    ``expression`` tests the version, if it is another one than the configured. Raises UsageError for a tree
    that is not committed, unless ``allow_dirty``, and for a wrong test; ConfigurationError, and
    EnvironmentFailure.
    """
    config = configuration.load(backend)
    gate = gate_of(expression or config.gate, config.gate_import)
    tree = worktree(config, check, allow_dirty)
    texts, refused, found = {}, [], set[str]()
    for file in backend_of(config).files:
        try:
            text = _without_gates(file, gate, versions)
            if text is not None:
                found |= {v for v in versions if _without_gates(file, gate, [v]) is not None}
                texts[file.path] = text
        except CannotRewrite as error:
            refused.append(str(error))
    if not check:
        write(config, tree, texts)
    return Ungated(sorted(texts), refused, [v for v in versions if v not in found])


def _without_gates(file: SourceFile, gate: Gate, versions: Sequence[str]) -> str | None:
    """The text of a file without gates; None where it has none of these versions. Raises CannotRewrite."""
    try:
        return ungated(file.text.decode("utf-8"), gate, versions, file.path)
    except NoMatch:
        return None
    except UnicodeDecodeError:
        if gate.name.encode() not in file.text:
            return None
        raise CannotRewrite(f"{file.path}: it is not UTF-8") from None
