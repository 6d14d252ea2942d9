"""What a Python project says of itself: where its packages are, what it needs, how it is tested."""
