"""Findings that somebody has looked at and accepts: by a comment, by path and kind, or by id until a day."""
