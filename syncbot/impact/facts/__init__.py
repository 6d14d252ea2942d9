"""Finds the changes of one upstream commit from its diff alone."""
