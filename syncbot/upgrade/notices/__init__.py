"""Notices about the names that a project uses: one module each, found by its presence here."""
