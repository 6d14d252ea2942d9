"""Tells what a plugin refuses in so many words from what breaks in it.

A refusal is an error that the plugin's own code raises on purpose: NotImplementedError at any time, ValueError while
the engine is made. It is vLLM's refusal where its configuration raises it. Whatever follows from another
error, or comes from the simulated device, is none.
"""

import dis
from collections.abc import Iterable
from types import TracebackType
from typing import Any

#: Where vLLM looks at what is asked of it, before anything is made.
_CONFIGURATION = ("vllm.config", "vllm.engine.arg_utils")


def refusal(error: BaseException, package: str, made: bool) -> str | None:
    """Return who refuses, and the words, or None. ``made`` says that the engine was there already."""
    for each in _parts(error):
        if not isinstance(each, NotImplementedError if made else (NotImplementedError, ValueError)):
            continue
        module = _raised_in(each)
        if module is None or each.__cause__ is not None or each.__context__ is not None:
            continue
        if _within(module, (package, *_CONFIGURATION)) or (
            isinstance(each, NotImplementedError) and _within(module, ("vllm",))
        ):
            words = next(iter(str(each).strip().splitlines()), type(each).__name__)
            return f"{module.partition('.')[0]} refuses: {words}"
    return None


def _parts(error: BaseException) -> Iterable[BaseException]:
    """Return the error; of pydantic's error, those that the checks of a configuration raised."""
    errors = getattr(error, "errors", None)
    found: list[Any] = list(errors()) if callable(errors) else []
    inner = [each.get("ctx", {}).get("error") for each in found if isinstance(each, dict)]
    return [each for each in inner if isinstance(each, BaseException)] or [error]


def _within(module: str, packages: Iterable[str]) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


def _raised_in(error: BaseException) -> str | None:
    """Return the module with the ``raise`` that made the error, or None where something else raised it."""
    last: TracebackType | None = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return None
    code = last.tb_frame.f_code.co_code
    on_purpose = dis.opname[code[last.tb_lasti]] == "RAISE_VARARGS" and code[last.tb_lasti + 1] > 0
    return str(last.tb_frame.f_globals.get("__name__")) if on_purpose else None
