"""One module for each kind of contract: how a finding about it becomes a program."""
