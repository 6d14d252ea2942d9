"""Differential type checking: what a checker finds with the new upstream and did not with the old."""
