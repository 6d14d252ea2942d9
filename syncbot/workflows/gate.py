"""Rewrite for a newer upstream, and keep what an older one needs behind the project's test of versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syncbot.errors import UsageError
from syncbot.patching.errors import CannotRewrite
from syncbot.upstream.model import Meter
from syncbot.version_gates.version_tests import gate_of, version_of
from syncbot.version_gates.write_gates import gated
from syncbot.workflows.migrate import Migrated, MigrateOptions, planned, worktree, write
from syncbot.workflows.project import configured


@dataclass(frozen=True)
class Gated:
    """The migration, in how many files there are gates of ``version`` now, and why not in others."""

    migrated: Migrated
    version: str
    files: int
    refused: Sequence[str]


def gate_backend(
    options: MigrateOptions, keep: str | None, expression: str | None, import_line: str | None, meter: Meter
) -> Gated:
    """Rewrite as ``migrate_backend`` does and keep the old code for one version; all files or none.

    ``keep`` is that version, else the one of ``options.old``. ``expression`` tests it and ``import_line`` is
    the import that the test needs; both are configured otherwise. Raises UsageError for a tree that is not
    committed, a wrong version or test and unknown references; ConfigurationError, and EnvironmentFailure.
    """
    config = configured(options.backend)
    version = _version(keep if keep is not None else options.old.removeprefix("v"))
    gate = gate_of(expression or config.gate, import_line or config.gate_import)
    tree = worktree(config, options.check, options.allow_dirty)
    done = planned(config, options, meter)
    texts, refused = {}, []
    for path, text in done.migration.changes.items():
        # Not read as text: that would hide Windows line ends, between which no gate can be put.
        before = (config.backend_path / path).read_bytes().decode("utf-8")
        try:
            texts[path] = gated(before, text, gate, version, path)
        except CannotRewrite as error:
            refused.append(str(error))
    if not options.check:
        write(config, tree, texts)
    return Gated(done, version, len(texts), refused)


def _version(text: str) -> str:
    if "." not in text:
        raise UsageError("name the version whose code is kept: --keep 0.31.0")
    return version_of(text)
