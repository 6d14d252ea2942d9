"""Put the code that an older upstream needs behind the project's test of versions, and take it out again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.contracts.sources import SourceFile
from syncbot.errors import UsageError
from syncbot.impact.session import backend_of
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.upstream.model import Meter
from syncbot.version_gates.remove_gates import ungated
from syncbot.version_gates.version_tests import Gate, gate_of, version_of
from syncbot.version_gates.write_gates import gated
from syncbot.workflows.migrate import Migrated, MigrateOptions, planned, worktree, write
from syncbot.workflows.project import configured, with_sources


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
    """Rewrite as ``migrate_backend`` does and keep the old code for one version; all files or none. ``keep``
    is that version, else the one of ``options.old``. ``expression`` tests it and ``import_line`` is the
    import that the test needs; both are configured otherwise. Raises UsageError for a tree that is not
    committed, a wrong version or test and unknown references; ConfigurationError, and EnvironmentFailure."""
    config = configured(options.backend)
    version = _version(keep if keep is not None else options.old.removeprefix("v"))
    gate = gate_of(expression or config.gate, import_line or config.gate_import)
    tree = worktree(config, not options.writes, options.allow_dirty)
    done = planned(config, options, meter)
    texts, refused = {}, []
    for path, text in done.migration.changes.items():
        # Not read as text: that would hide Windows line ends, between which no gate can be put.
        before = (config.backend_path / path).read_bytes().decode("utf-8")
        try:
            texts[path] = gated(before, text, gate, version, path)
        except CannotRewrite as error:
            refused.append(str(error))
    if options.writes:
        write(config, tree, texts)
    return Gated(done, version, len(texts), refused)


def _version(text: str) -> str:
    if "." not in text:
        raise UsageError("name the version whose code is kept: --keep 0.31.0")
    return version_of(text)


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
    not committed, unless ``allow_dirty``, and for a wrong test; ConfigurationError, and
    EnvironmentFailure."""
    config = with_sources(backend)
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
