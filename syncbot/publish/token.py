"""The token that GitHub is asked with: from the environment alone, and never in any output."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field

from syncbot.errors import UsageError

VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN")


@dataclass(frozen=True, slots=True)
class Token:
    """A token whose ``repr`` does not tell it."""

    secret: str = field(repr=False)

    def basic(self) -> str:
        """Return it as HTTP basic authentication, as git's transport wants it."""
        return base64.b64encode(f"x-access-token:{self.secret}".encode()).decode()

    def hidden(self, text: str) -> str:
        """Return a text without the token, however it got there."""
        return text.replace(self.secret, "***").replace(self.basic(), "***")


def token_of(environment: Mapping[str, str]) -> Token:
    """The token in GITHUB_TOKEN, else GH_TOKEN. Raises UsageError for none, or one a header cannot hold."""
    for name in VARIABLES:
        secret = environment.get(name, "").strip()
        if not secret:
            continue
        if not all("!" <= character <= "~" for character in secret):
            raise UsageError(f"{name} holds no token: it has spaces or other characters that no token has")
        return Token(secret)
    raise UsageError("no token: set GITHUB_TOKEN or GH_TOKEN, or look at what would be sent with --dry-run")
