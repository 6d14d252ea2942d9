"""Names in HTML that may be broken where a reader expects it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup


def breakable(text: str) -> Markup:
    """A text whose names may be broken behind hyphens, slashes, dots and underscores."""
    # Only who writes pages waits for the import.
    from markupsafe import Markup, escape

    return Markup(re.sub(r"(?<=[./_-])(?=[^\s./_;&-])", "<wbr>", str(escape(text))))
