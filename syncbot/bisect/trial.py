"""One run of a command on the upstream tree of one commit, and what its end means."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from syncbot.api.tree import package_roots
from syncbot.bisect.search import Verdict
from syncbot.bisect.state import Run
from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.isolation.run_command import last_words, run
from syncbot.upstream.checkout import TreeFolder, every_file
from syncbot.upstream.git_log import decoded
from syncbot.upstream.opening import Upstream

SKIP = 125
_OUT_OF_TIME = "did not end in time"
# What differs from run to run of one failure: places, durations, addresses, process ids.
_NOISE = re.compile(
    r"(?<![\w.])/[\w./+-]+|\b\d+(?:\.\d+)?\s?(?:s|ms|sec|seconds)\b|\b0x[0-9a-fA-F]+\b|\bpid[ =:]\d+\b"
)


@dataclass(frozen=True, slots=True)
class Command:
    """Words with ``{tree}`` and ``{commit}`` for the files' folder and the sha. Where ``setup`` fails, the
    commit is skipped. ``environment`` are all variables; ``identity`` decides the outcome. One that is
    ``apart`` writes below ``folder`` only, and reaches no network."""

    identity: tuple[str, ...]
    words: tuple[str, ...]
    setup: str | None
    environment: Mapping[str, str]
    folder: Path
    timeout: float | None = None
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """Runs a command on commits, one at a time, in one folder that is switched between them."""

    upstream: Upstream
    tree: TreeFolder
    logs: Path
    command: Command

    def of(self, commit: str) -> Run:
        """Run the command on a commit. Raises UsageError if it cannot start, EnvironmentFailure."""
        files = every_file(self.upstream.repository, commit)
        self.tree.switch(commit, files)
        _executable(self.upstream, self.tree.folder, commit)
        log = self.logs / f"{commit[:12]}.log"
        log.unlink(missing_ok=True)
        environment = self._environment(commit, files)
        start = time.monotonic()
        if self.command.setup is not None:
            setup = self._filled(self.command.setup, commit)
            done = run(["sh", "-c", setup], log, environment=environment, folder=self.command.folder)
            if done.code != 0:
                seconds = round(time.monotonic() - start, 2)
                said = f"setup failed: {self._said(log)}"
                return Run(commit, Verdict.SKIP, "", None, seconds, said, decoded(bytes(log)))
        words = [self._filled(word, commit) for word in self.command.words]
        try:
            here = self.command.folder
            code = run(
                words, log, environment=environment, folder=here, timeout=self.command.timeout,
                apart_in=here if self.command.apart else None, unchanged=[self.tree.folder, self.logs],
            ).code  # fmt: skip
        except OSError as error:
            raise UsageError(f"{words[0]} cannot be started: {error.strerror}: name a command") from error
        seconds = round(time.monotonic() - start, 2)
        said = self._said(log) if code is not None else _OUT_OF_TIME
        verdict = _verdict(code, commit, log)
        lasting = _NOISE.sub("", said.replace(commit, "").replace(commit[:12], ""))[:500]
        mark = f"{code} {lasting}" if verdict is Verdict.BAD else ""
        return Run(commit, verdict, mark, code, seconds, said, decoded(bytes(log)))

    def _environment(self, commit: str, files: Mapping[str, str]) -> dict[str, str]:
        roots = package_roots(files, self.upstream.packages).values()
        places = [str(self.tree.folder / root) for root in dict.fromkeys(roots)] or [str(self.tree.folder)]
        given = self.command.environment.get("PYTHONPATH")
        own = {
            "SYNCBOT_UPSTREAM": str(self.tree.folder),
            "SYNCBOT_COMMIT": commit,
            "PYTHONPATH": os.pathsep.join([*places, *([given] if given else [])]),
            # A file that is replaced by another of the same size within a second would be taken for the
            # compiled one.
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return dict(self.command.environment) | own

    def _filled(self, word: str, commit: str) -> str:
        return word.replace("{tree}", str(self.tree.folder)).replace("{commit}", commit)

    def _said(self, log: Path) -> str:
        last = last_words(log)
        return "" if last.startswith("$ ") else last


def _verdict(code: int | None, commit: str, log: Path) -> Verdict:
    if code == 0:
        return Verdict.GOOD
    if code == SKIP:
        return Verdict.SKIP
    if code is None or 0 < code < 128:
        return Verdict.BAD
    signal = -code if code < 0 else code - 128
    raise EnvironmentFailure(
        f"the command was ended by signal {signal} at {commit[:12]} (log: {log}): let it exit with a code "
        "below 128 if that is a failure of the commit; the runs so far are kept"
    )


def _executable(upstream: Upstream, folder: Path, commit: str) -> None:
    """Files that the commit has as executable are so in the folder; others are written without."""
    for path, entry in upstream.repository.tree(commit).items():
        target = folder / path
        if entry.mode == "100755" and target.is_file() and not target.is_symlink():
            target.chmod(0o755)
