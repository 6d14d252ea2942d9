"""Differences between a lane's run of a plugin's tests and that of the release: their causes and classes."""
