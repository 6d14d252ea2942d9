"""The rewrite of a patch that needs code: a Python file beside it, working on libcst trees. The file defines
``forward(module)`` and ``backward(module)``, each from a ``libcst.Module`` to one, and ``NEEDLES``, texts
that a file must all contain to be worth parsing. It runs in a process of its own (`code_process`), which is
given texts and gives texts: it cannot end this one, hold it up or read its memory."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import time
import weakref
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from syncbot.errors import ConfigurationError
from syncbot.isolation.command import apart, own_python
from syncbot.isolation.variables import few
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import Rule
from syncbot.patching.source import Source

#: How long the code may take for one file, in seconds.
PATIENCE = 60.0
_LONGEST = 1 << 28

_START = "from syncbot.patching.code_process import serve; serve()"


class CodeProcess:
    """A running process with the code of one patch; ``file`` names it. It ends with this object."""

    def __init__(self, file: Path) -> None:
        self._file = file
        process = subprocess.Popen(
            apart(own_python(_START), [], [file.parent]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=few(os.environ, None),
        )
        assert process.stdin is not None
        assert process.stdout is not None
        os.set_blocking(process.stdin.fileno(), False)
        self._process, self._input, self._output = process, process.stdin.fileno(), process.stdout.fileno()
        self._rest = bytearray()
        weakref.finalize(self, _end, process)

    def ask(self, **question: str) -> dict[str, Any]:
        """Return the answer to a question. Raises NoMatch, CannotRewrite."""
        try:
            answer = json.loads(self._told(json.dumps(question).encode() + b"\n"))
        except TimeoutError as error:
            self._process.kill()
            raise CannotRewrite(f"{self._file}: gave no answer within {PATIENCE:.0f} s") from error
        except (OSError, ValueError) as error:
            self._process.kill()
            raise CannotRewrite(f"{self._file}: its process ended without an answer") from error
        match answer:
            case {"error": "interrupted"}:
                raise KeyboardInterrupt
            case {"error": "no match", "message": str(message)}:
                raise NoMatch(message)
            case {"error": _, "message": str(message)}:
                raise CannotRewrite(message)
            case {"text": str()} | {"needed": list()}:
                return dict(answer)
        raise CannotRewrite(f"{self._file}: its process gave no answer that can be read")

    def _told(self, question: bytes) -> bytes:
        """The line that the process writes when it was given one. Raises TimeoutError; ValueError or another
        OSError where it ends."""
        until = time.monotonic() + PATIENCE
        looked = 0
        while (end := self._rest.find(b"\n", looked)) < 0:
            looked = len(self._rest)
            wanted = [self._input] if question else []
            left = max(0.0, until - time.monotonic())
            readable, ready, _ = select.select([self._output], wanted, [], left)
            if left == 0 or not (readable or ready):
                raise TimeoutError
            if ready:
                question = question[os.write(self._input, question) :]
            if readable:
                read = os.read(self._output, 1 << 20)
                if not read or len(self._rest) > _LONGEST:
                    raise ValueError("it ended")
                self._rest += read
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        return line


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    process.wait()


class Transformer(Rule):
    """A rule made of two functions. Not registered: a patch names it by ``code``."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    file: str
    needed: tuple[str, ...] = ()
    process: CodeProcess
    ahead: str = "forward"
    back: str = "backward"

    def decided_by(self) -> None:
        """Nobody knows what its code reads."""

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Return the texts that the file declares in its NEEDLES."""
        return self.needed

    def forward(self, source: Source) -> str:
        """Apply its ``forward``."""
        text = self.process.ask(function=self.ahead, text=source.text, path=source.path, file=self.file)[
            "text"
        ]
        if text == source.text:
            raise NoMatch(f"{source.path}: {self.file} finds nothing to change")
        return str(text)

    def mirror(self) -> Rule:
        """The same functions exchanged."""
        return self.model_copy(update={"ahead": self.back, "back": self.ahead})


def load(file: Path) -> Transformer:
    """Return the rule that a Python file defines, which is run for that. Raises ConfigurationError."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: cannot be read: {error}") from error
    process = CodeProcess(file)
    try:
        needed = process.ask(code=text, file=str(file))["needed"]
    except CannotRewrite as error:
        raise ConfigurationError(str(error)) from error
    return Transformer(file=file.name, needed=tuple(map(str, needed)), process=process)
