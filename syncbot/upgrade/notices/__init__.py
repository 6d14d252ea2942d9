"""What is noticed of the names that a project uses: one module each, found by its presence here."""
