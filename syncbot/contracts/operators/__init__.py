"""Operators that are registered with torch by name: where, with which schema, and how two schemas differ."""
