"""How git runs: one environment for foreign repositories, one for mirrors that syncbot made."""

from __future__ import annotations

import enum
import os
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from urllib.parse import urlsplit

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.isolation.variables import absolute_only

# Every setting through which a repository's own configuration could name a program, emptied.
# `-c` outranks the repository's file, whatever that file includes.
_INERT = (
    "safe.directory=*",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.quotePath=false",
    "log.showSignature=false",
    "log.mailmap=false",
    "i18n.logOutputEncoding=UTF-8",
    "protocol.ext.allow=never",
    "diff.renameLimit=4000",
    "gc.auto=0",
    "maintenance.auto=false",
)
_INERT_FOREIGN = (
    "credential.helper=",
    "core.askPass=",
    "core.sshCommand=ssh",
    "core.gitProxy=",
    "http.proxyAuthMethod=anyauth",
)

#: A tree of half a million files, or the changes of half a million commits, take less.
_LONGEST_LIST = 256 << 20
#: What is kept of the words beside an answer, and how many git may tell.
_KEPT_BYTES, _MOST_TOLD = 1 << 16, 16 << 20

NO_GIT = "git was not found: install git 2.31 or newer and put it on PATH"
# The variables of git's own that a user sets for the network; all others would redirect what is read.
_KEPT = re.compile(r"GIT_(SSL_|SSH|HTTP_|PROXY_|ASKPASS$|EXEC_PATH$|TEMPLATE_DIR$)")

# Up to the last @ of a word where there is a password, since that may hold a slash or an @ itself.
_CREDENTIALS = re.compile(r"(?<=://)(?:[^/\s@:]*:[^\s'\"]*@|[^/\s]*@)")
_SECRETS = re.compile(
    r"([?&;][^\s=&;'\"]*(?:token|key|secret|passw|auth|sig)[^\s=&;'\"]*=)[^\s&;'\"]+", re.IGNORECASE
)
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class Access(enum.Enum):
    """Whose configuration git may follow. FOREIGN: a repository somebody else made; git starts no program
    that its or the user's configuration names, and fetches missing blobs by http and https only. OWN: a
    mirror in the cache directory; the user's configuration (proxy, credentials, keys) counts."""

    FOREIGN = "foreign"
    OWN = "own"


def without_credentials(text: str) -> str:
    """``text`` with the user, the password and the keys in the query of every URL in it taken out."""
    return _SECRETS.sub(r"\1***", _CREDENTIALS.sub("", text))


def refuse_unencrypted(url: str) -> None:
    """Raises UsageError for a URL by which a user or password would travel unencrypted to another machine."""
    parts = urlsplit(url)
    if parts.scheme == "http" and "@" in parts.netloc and parts.hostname not in _LOOPBACK:
        raise UsageError(
            f"{without_credentials(url)} would get a password unencrypted: give an https address"
        )


def _subcommand(args: Sequence[str]) -> str:
    """Return git's subcommand, which comes after settings."""
    if args[0].startswith("-"):
        return _subcommand(args[1 + (args[0] == "-c") :])
    return args[0]


def git_environment(access: Access) -> dict[str, str]:
    """The environment variables for a git process with this access."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or _KEPT.match(key)}
    env |= {
        "PATH": absolute_only(env.get("PATH", os.defpath)),
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
    }
    if access is Access.FOREIGN:
        env |= {
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ALLOW_PROTOCOL": "http:https",
        }
        env.pop("GIT_ASKPASS", None)
    return env


@dataclass(frozen=True, slots=True)
class GitCommand:
    """Runs git on one repository, given by its git directory; works on bare ones without a config file."""

    git_dir: Path
    access: Access = Access.FOREIGN

    def line(self, *args: str) -> list[str]:
        """The command line for ``git`` with these arguments."""
        settings = _INERT if self.access is Access.OWN else _INERT + _INERT_FOREIGN
        options = [word for setting in settings for word in ("-c", setting)]
        return ["git", "--no-pager", f"--git-dir={self.git_dir}", *options, *args]

    def start(
        self,
        *args: str,
        stdin: int | None = subprocess.DEVNULL,
        stderr: int | None = subprocess.DEVNULL,
        environment: Mapping[str, str] | None = None,
        pass_fds: tuple[int, ...] = (),
    ) -> subprocess.Popen[bytes]:
        """A running git whose output is piped. Raises EnvironmentFailure if git cannot be started."""
        try:
            return subprocess.Popen(
                self.line(*args),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=self.git_dir,
                env={**git_environment(self.access), **(environment or {})},
                pass_fds=pass_fds,
            )
        except FileNotFoundError as error:
            if self.git_dir.is_dir():
                raise EnvironmentFailure(NO_GIT) from error
            raise EnvironmentFailure(
                f"{self.git_dir} does not exist: give the path of a git repository"
            ) from error

    def run(
        self, *args: str, input: bytes | None = None, environment: Mapping[str, str] | None = None
    ) -> bytes:
        """The standard output of git. Raises EnvironmentFailure with git's own reason if it fails."""
        result = self.attempt(*args, input=input, environment=environment)
        if result.returncode:
            raise EnvironmentFailure(
                f"git {_subcommand(args)} failed in {self.git_dir}: {reason(result.stderr)}"
            )
        return result.stdout

    def listing(self, *args: str) -> bytes:
        """As `run`, for lists that somebody may have made nearly endless. Raises EnvironmentFailure for one
        that is longer than any real one, too."""
        with TemporaryFile() as errors, self.start(*args, stderr=errors.fileno()) as process:
            assert process.stdout is not None
            try:
                output = process.stdout.read(_LONGEST_LIST + 1)
                if len(output) > _LONGEST_LIST:
                    raise EnvironmentFailure(
                        f"git {_subcommand(args)} lists more than {_LONGEST_LIST >> 20} MiB in {self.git_dir}"
                    )
                code = process.wait()
            except BaseException:
                process.kill()
                raise
            errors.seek(0)
            if code:
                raise EnvironmentFailure(
                    f"git {_subcommand(args)} failed in {self.git_dir}: {reason(errors.read())}"
                )
        return output

    def attempt(
        self,
        *args: str,
        input: bytes | None = None,
        environment: Mapping[str, str] | None = None,
        pass_fds: tuple[int, ...] = (),
    ) -> subprocess.CompletedProcess[bytes]:
        """As `run`, for commands whose failure is an answer."""
        pipe = subprocess.PIPE
        with self.start(
            *args, stdin=pipe, stderr=pipe, environment=environment, pass_fds=pass_fds
        ) as process:
            told = _Told(process)
            try:
                output, _ = process.communicate(input or b"")
            except BaseException:
                process.kill()
                raise
            errors = told.end()
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


class _Told:
    """The text that git writes to its standard error, a server's words included: the end of it is kept, and a
    git that writes too much is ended."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None
        self._stream, process.stderr = process.stderr, None
        self._process, self._kept, self._total = process, b"", 0
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def end(self) -> bytes:
        """All that was told, or its end."""
        self._thread.join()
        return self._kept

    def _read(self) -> None:
        with self._stream as stream:
            while some := os.read(stream.fileno(), _KEPT_BYTES):
                self._kept = (self._kept + some)[-_KEPT_BYTES:]
                self._total += len(some)
                if self._total > _MOST_TOLD:
                    self._kept = b"fatal: it tells more than %d MiB beside its answer" % (_MOST_TOLD >> 20)
                    self._process.kill()
                    break


def reason(stderr: bytes) -> str:
    """The line of git's error output that says why, without credentials and without its prefix."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines
    if not telling:
        return "git gave no reason"
    return without_credentials(re.sub(r"^(fatal|error): ", "", telling[0]))
