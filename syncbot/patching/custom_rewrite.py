"""The rewrite of a patch that needs code: a Python file beside it, working on libcst trees.

The file defines ``forward(module)`` and ``backward(module)``, each from a ``libcst.Module`` to one, and
``NEEDLES``, texts that a file must all contain to be worth parsing.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable
from pathlib import Path

from syncbot.errors import ConfigurationError, SyncbotError
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import Rule
from syncbot.patching.source import Source


class Transformer(Rule):
    """A rule made of two functions. Not registered: a patch names it by ``code``."""

    file: str
    needed: tuple[str, ...] = ()
    ahead: Callable[[cst.Module], cst.Module]
    back: Callable[[cst.Module], cst.Module]

    def needles(self, forward: bool) -> tuple[str, ...]:
        """What the file says it needs."""
        return self.needed

    def forward(self, source: Source) -> str:
        """Apply its ``forward``."""
        name = getattr(self.ahead, "__name__", repr(self.ahead))
        module = source.module
        try:
            changed = self.ahead(module)
        except SyncbotError:
            raise
        except (Exception, SystemExit) as error:
            raise CannotRewrite(f"{source.path}: {self.file}: {name} raises {error!r}") from error
        if not isinstance(changed, cst.Module):
            raise CannotRewrite(f"{self.file}: {name} has to return a libcst.Module")
        text = source.leading + changed.code
        if text == source.text:
            raise NoMatch(f"{source.path}: {self.file} finds nothing to change")
        return text

    def mirror(self) -> Rule:
        """The same functions exchanged."""
        return self.model_copy(update={"ahead": self.back, "back": self.ahead})


def load(file: Path) -> Transformer:
    """Return the rule that a Python file defines. Raises ConfigurationError."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: cannot be read: {error}") from error
    module = types.ModuleType(f"patch_{hashlib.sha256(text.encode()).hexdigest()[:16]}")
    try:
        exec(compile(text, str(file), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        raise ConfigurationError(f"{file}: cannot be loaded: {error!r}") from error
    for name in ("forward", "backward"):
        if not callable(getattr(module, name, None)):
            raise ConfigurationError(f"{file}: defines no function {name}(module)")
    needed = getattr(module, "NEEDLES", ())
    if not isinstance(needed, tuple) or not all(isinstance(text, str) for text in needed):
        raise ConfigurationError(f"{file}: NEEDLES has to be a tuple of texts, such as ('import up',)")
    return Transformer(file=file.name, needed=needed, ahead=module.forward, back=module.backward)
