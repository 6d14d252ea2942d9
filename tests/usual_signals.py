"""What programs that are to hear signals begin with, whoever runs the tests."""

from __future__ import annotations

import signal


def usual_signals() -> None:
    """Hear what a background job, or one that outlives its terminal, is started to ignore."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_DFL)
