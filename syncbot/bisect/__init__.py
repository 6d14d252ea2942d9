"""The first bad upstream commit of a range, by running a command as few times as possible."""
