"""Patches: reversible source rewrites, kept as reviewed files and applied forward or backward."""
