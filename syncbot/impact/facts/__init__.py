"""What one upstream commit changes, told from its diff alone."""
