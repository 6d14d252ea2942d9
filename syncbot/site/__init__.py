"""A static site of what is known: matrix, days, patches, and which of our files break most."""
