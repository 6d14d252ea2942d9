"""The type checkers, one module each."""
