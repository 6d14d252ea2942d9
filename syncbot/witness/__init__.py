"""Witnesses: short programs that import upstream alone, end well before a change and raise after it."""
