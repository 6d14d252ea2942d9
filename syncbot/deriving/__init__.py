"""Derived overrides: a function of a lane's own upstream with a few edits."""
