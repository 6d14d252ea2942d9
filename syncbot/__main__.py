"""``python -m syncbot``: the same as the ``syncbot`` command."""

from syncbot.cli import main

main(prog_name="syncbot")
