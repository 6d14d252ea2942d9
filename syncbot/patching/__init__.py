"""Patch files and source rewrites on libcst, forward and backward."""
