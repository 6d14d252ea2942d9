"""Findings as text, markdown and json."""
