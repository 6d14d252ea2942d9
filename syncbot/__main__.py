"""``python -m syncbot``, and what the ``syncbot`` command begins with."""

from syncbot.interruption import ending_all


def run() -> None:
    """Run the command line, which takes a while to be imported, and exit with its code."""
    with ending_all():
        from syncbot.cli import main

        main(prog_name="syncbot")


if __name__ == "__main__":
    run()
