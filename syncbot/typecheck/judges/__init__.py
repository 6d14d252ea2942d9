"""Judges each kind of finding, with both upstream trees at hand."""
