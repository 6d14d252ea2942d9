"""A commit's way to a branch of a remote. The token travels in the environment of git's process alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from syncbot.errors import EnvironmentFailure
from syncbot.publish.commit import Checkout
from syncbot.publish.token import Token
from syncbot.upstream.git_command import reason, without_credentials

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True, slots=True)
class Remote:
    """Where a push goes. ``token`` is used where ``host``, the API's, is also the remote's."""

    url: str
    token: Token | None = None
    host: str = ""

    def environment(self) -> dict[str, str]:
        """The variables that let git in: the token as a header, which only that process knows. It replaces
        the header of actions/checkout, since GitHub refuses two. No credential helper can store it."""
        parts = urlsplit(self.url)
        encrypted = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
        if self.token is None or not encrypted or parts.hostname != self.host:
            return {}
        key = f"http.{parts.scheme}://{parts.netloc}/.extraHeader"
        settings = [
            *((key, ""), (key, f"Authorization: Basic {self.token.basic()}"), ("credential.helper", "")),
            # git would send the header on to wherever it is sent.
            ("http.followRedirects", "false"),
        ]
        named = {f"GIT_CONFIG_KEY_{n}": name for n, (name, _) in enumerate(settings)}
        values = {f"GIT_CONFIG_VALUE_{n}": value for n, (_, value) in enumerate(settings)}
        return {"GIT_CONFIG_COUNT": str(len(settings)), **named, **values}

    def hidden(self, text: str) -> str:
        """Return a text without credentials."""
        return without_credentials(self.token.hidden(text) if self.token else text)


@dataclass(frozen=True, slots=True)
class GitPush:
    """Pushes from a checkout to a remote, for real."""

    checkout: Checkout
    remote: Remote

    def at(self, branch: str) -> str | None:
        """Return the commit of the branch, None if there is none. Raises EnvironmentFailure."""
        listed = self._ask("ls-remote", "--refs", self.remote.url, f"refs/heads/{branch}")
        return listed.split()[0] if listed else None

    def push(self, commit: str, branch: str, expected: str | None) -> None:
        """Let the branch be the commit if it still is at the expected one. Raises EnvironmentFailure."""
        lease = f"--force-with-lease=refs/heads/{branch}:{expected or ''}"
        quiet = ("--quiet", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no")
        self._ask("push", *quiet, lease, self.remote.url, f"{commit}:refs/heads/{branch}")

    def _ask(self, *args: str) -> str:
        git = self.checkout.repository.git
        status, output, errors = git.execute(
            ["git", *args], with_extended_output=True, with_exceptions=False, env=self.remote.environment()
        )
        if status:
            why = self.remote.hidden(_why(errors))
            if "returned error: 30" in why:
                why += "; it has moved, and a token is not sent on: give the remote its new URL"
            raise EnvironmentFailure(
                f"git {args[0]} failed for {without_credentials(self.remote.url)}: {why}"
            )
        return str(output).strip()


@dataclass(frozen=True, slots=True)
class PushDryRun:
    """Prints what would be pushed where; the branch counts as not there yet."""

    checkout: Checkout
    url: str
    say: Callable[[str], None]

    def at(self, branch: str) -> str | None:
        """Ask nobody."""
        return None

    def push(self, commit: str, branch: str, expected: str | None) -> None:
        """Print the push and the files that the commit changes."""
        self.say(f"git push {without_credentials(self.url)} {commit}:refs/heads/{branch}")
        for change in self.checkout.changes(commit):
            self.say(f" {change.status} {change.path}")


#: A remote that branches are pushed to, for real or not.
Push = GitPush | PushDryRun


def _why(errors: str) -> str:
    """Git's reason, after what the server said: which reference it refused, and why."""
    lines = [" ".join(line.split()) for line in errors.splitlines()]
    told = [line for line in lines if line.startswith(("! [", "remote: ")) and line != "remote: "]
    return "; ".join([*told[:3], reason(errors.encode(errors="replace"))])
