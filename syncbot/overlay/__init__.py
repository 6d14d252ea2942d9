"""Overlay projects: lanes of a package that somebody else publishes, generated from its sources."""
