"""Graph mode."""
