"""The text of one function of a module, where its lines are known."""

from __future__ import annotations

import textwrap

from syncbot.api.remembered_answers import remembered


def function_text(source: bytes, first: int, last: int) -> str:
    """These lines, as far to the left as they go."""
    return textwrap.dedent("\n".join(_lines(source)[first - 1 : last]))


# The functions of a module are asked for one after the other.
@remembered(64)
def _lines(source: bytes) -> list[str]:
    return source.decode("utf-8", "replace").splitlines()
