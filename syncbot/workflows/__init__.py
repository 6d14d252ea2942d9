"""What each command does, without a terminal: typed options in, a typed result out, errors raised."""
