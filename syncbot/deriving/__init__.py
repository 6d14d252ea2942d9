"""Overrides that are written from a lane's own upstream source: a function of it, with a few edits."""
