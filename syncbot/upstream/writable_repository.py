"""Our own repositories, to write, as GitPython's objects; git runs as `git_command` has it. GitPython takes
long to import (docs/architecture.md): import this module only to write."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from syncbot.errors import UsageError
from syncbot.upstream.git_command import Access, GitCommand, without_credentials
from syncbot.upstream.git_python import (
    Git,
    GitCmdObjectDB,
    GitCommandError,
    InvalidGitRepositoryError,
    NoSuchPathError,
    Repo,
)


class HardenedGit(Git):
    """Runs what GitPython asks for with the settings and the environment of `git_command`."""

    command: GitCommand

    def execute(
        self,
        command: Any,
        *_: Any,
        istream: Any = None,
        with_extended_output: bool = False,
        with_exceptions: bool = True,
        as_process: bool = False,
        stdout_as_string: bool = True,
        strip_newline_in_stdout: bool = True,
        env: Mapping[str, str] | None = None,
        **others: Any,
    ) -> Any:
        """Run git as :meth:`git.Git.execute` does. Raises GitCommandError, EnvironmentFailure without git."""
        words = [os.fspath(word) for word in command[1:]]
        environment = {**self.environment(), **(env or {})}
        if as_process:
            pipe = subprocess.PIPE
            process = self.command.start(*words, stdin=pipe, stderr=pipe, environment=environment)
            return self.AutoInterrupt(process, command)
        done = self.command.attempt(
            *words, input=istream.read() if istream is not None else None, environment=environment
        )
        if done.returncode and with_exceptions:
            raise GitCommandError(words[:1], done.returncode, without_credentials(os.fsdecode(done.stderr)))
        raw = done.stdout.removesuffix(b"\n") if strip_newline_in_stdout else done.stdout
        output = os.fsdecode(raw) if stdout_as_string else raw
        return (done.returncode, output, os.fsdecode(done.stderr)) if with_extended_output else output


class WritableRepository(Repo):
    """A repository in which every git process is hardened; close it. Raises UsageError for none."""

    GitCommandWrapperType = HardenedGit
    git: HardenedGit

    def __init__(self, path: Path) -> None:
        try:
            super().__init__(path.absolute(), expand_vars=False, search_parent_directories=True)
        except (InvalidGitRepositoryError, NoSuchPathError) as error:
            where = path.absolute()
            raise UsageError(f"{where} is in no working tree of git: run git init in it") from error
        # GitPython hands on what the user's own variables name.
        self.git.environment().clear()
        self.git.command = GitCommand(Path(self.git_dir), Access.OWN)
        self.keep_objects_in(Path(self.common_dir) / "objects")
        if self.working_tree_dir is not None:
            self.git.update_environment(GIT_WORK_TREE=os.fspath(self.working_tree_dir))

    def keep_objects_in(self, folder: Path) -> None:
        """Let new objects go to a folder."""
        self.odb = GitCmdObjectDB(os.fspath(folder), self.git)

    def run(self, *args: str, input: bytes | None = None) -> str:
        """Return git's output. Raises EnvironmentFailure with git's own reason."""
        return os.fsdecode(self.git.command.run(*args, input=input, environment=self.git.environment()))

    def succeeds(self, *args: str) -> bool:
        """Return whether git says yes."""
        return self.git.command.attempt(*args, environment=self.git.environment()).returncode == 0
