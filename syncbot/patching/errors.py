"""Errors that occur while a rewrite is applied."""

from __future__ import annotations

from syncbot.errors import UsageError


class NoMatch(UsageError):
    """The rewrite found nothing to change, so that nothing was changed."""


class CannotRewrite(UsageError):
    """The place was found, but the rewrite would change its meaning; an author has to write the patch."""
