"""``python -m syncbot``, and what the ``syncbot`` command begins with."""

import os
import sys

from syncbot.interruption import ending_all


def run() -> None:
    """Run the command line, which takes a while to be imported, and exit with its code."""
    _stand_in_for_closed_streams()
    with ending_all():
        from syncbot.cli import main

        main(prog_name="syncbot")


def _stand_in_for_closed_streams() -> None:
    """Keep the first file that is opened, such as a cache, from being taken for a stream that was closed."""
    while (handle := os.open(os.devnull, os.O_RDWR)) < 3:
        os.set_inheritable(handle, True)
    os.close(handle)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


if __name__ == "__main__":
    run()
