"""Rewrite for a newer upstream, and keep what an older one needs behind the project's test of versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from syncbot.errors import UsageError
from syncbot.patching.errors import CannotRewrite
from syncbot.upstream.model import Meter, no_meter
from syncbot.version_gates.version_tests import gate_of, version_of
from syncbot.version_gates.write_gates import gated
from syncbot.workflows.migrate import Migrated, MigrateOptions, planned, worktree, write
from syncbot.workflows.project import configured


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions(MigrateOptions):
    """The options of a migration, and what keeps the old code.

    ``keep`` is the version whose code is kept, else that of ``old``. ``expression`` tests the version, which
    stands in it as ``{version}``; ``import_line`` is the import that it needs. Both are configured otherwise.
    """

    keep: str | None = None
    expression: str | None = None
    import_line: str | None = None


@dataclass(frozen=True)
class Gated:
    """The migration, the files with gates of ``version`` in them, and why others were left as they are."""

    migrated: Migrated
    version: str
    texts: Mapping[str, str]
    refused: tuple[str, ...]


def gate_backend(options: GateOptions, meter: Meter = no_meter) -> Gated:
    """Rewrite as ``migrate_backend`` does and keep the old code for one version; all files or none.

    Raises UsageError for a tree that is not committed, a wrong version or test and unknown references;
    ConfigurationError, and EnvironmentFailure.
    """
    config = configured(options.backend)
    version = _version(options)
    gate = gate_of(options.expression or config.gate, options.import_line or config.gate_import)
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
    return Gated(done, version, texts, tuple(refused))


def _version(options: GateOptions) -> str:
    text = options.keep if options.keep is not None else options.old.removeprefix("v")
    if "." not in text:
        raise UsageError("name the version whose code is kept: --keep 0.31.0")
    return version_of(text)
