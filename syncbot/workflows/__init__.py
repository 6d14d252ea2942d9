"""The work of each command, without a terminal: typed options in, a typed result out, errors raised."""
