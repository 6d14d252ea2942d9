"""The formats that a triage can be written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from syncbot.triage.diagnosis import Triage
from syncbot.triage.formats.flow import as_flow
from syncbot.triage.formats.json import as_json
from syncbot.triage.formats.markdown import as_markdown
from syncbot.triage.formats.text import as_text

#: A function from a triage to its text, by the name of the format; the first is the default.
FORMATS: Mapping[str, Callable[[Triage], str]] = {
    "text": as_text,
    "json": as_json,
    "markdown": as_markdown,
    "flow": as_flow,
}
