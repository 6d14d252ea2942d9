"""The errors that reach a user: each says its cause and its mend in one line, and carries its exit code."""

from __future__ import annotations


class SyncbotError(Exception):
    """Base class of every error raised on purpose: the command line prints it, and exits with
    ``exit_code``."""

    exit_code = 3


class UsageError(SyncbotError):
    """A wrong request: wrong arguments, unknown references, a dirty tree."""

    exit_code = 2


class ConfigurationError(UsageError):
    """The configuration, the matrix or a patch file is not valid."""


class EnvironmentFailure(SyncbotError):
    """The surroundings failed: network, git, package index, disk, an environment that cannot be built."""

    exit_code = 3
