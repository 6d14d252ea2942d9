"""Kinds of edit, one module each."""
