"""Runs the code of a patch in a process of its own, which receives a text and answers with another. Lines of
JSON come in and go out. Everything that the code itself prints is discarded."""

from __future__ import annotations

import json
import os
import resource
import types
from typing import Any

from syncbot.errors import SyncbotError
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.source import Source

_MEMORY = 4 << 30


def serve() -> None:
    """Load the code that the first line holds, and then answer each line with a text or an error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(nowhere, 0)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    module = types.ModuleType("patch_code")
    for line in questions:
        asked = json.loads(line)
        try:
            answer = _loaded(module, **asked) if "code" in asked else _rewritten(module, **asked)
        except KeyboardInterrupt:
            answer = {"error": "interrupted"}
        except NoMatch as error:
            answer = {"error": "no match", "message": str(error)}
        except SyncbotError as error:
            answer = {"error": "cannot", "message": str(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _loaded(module: types.ModuleType, code: str, file: str) -> dict[str, Any]:
    try:
        exec(compile(code, file, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        raise CannotRewrite(f"{file}: cannot be loaded: {error!r}") from error
    for name in ("forward", "backward"):
        if not callable(getattr(module, name, None)):
            raise CannotRewrite(f"{file}: defines no function {name}(module)")
    needed = getattr(module, "NEEDLES", ())
    if not isinstance(needed, tuple) or not all(isinstance(text, str) for text in needed):
        raise CannotRewrite(f"{file}: NEEDLES has to be a tuple of texts, such as ('import up',)")
    return {"needed": list(needed)}


def _rewritten(module: types.ModuleType, function: str, text: str, path: str, file: str) -> dict[str, Any]:
    source = Source(text, path)
    tree, name = source.module, getattr(getattr(module, function), "__name__", function)
    try:
        changed = getattr(module, function)(tree)
    except SyncbotError:
        raise
    except (Exception, SystemExit) as error:
        raise CannotRewrite(f"{path}: {file}: {name} raises {error!r}") from error
    if not isinstance(changed, cst.Module):
        raise CannotRewrite(f"{file}: {name} has to return a libcst.Module")
    return {"text": source.leading + changed.code}
