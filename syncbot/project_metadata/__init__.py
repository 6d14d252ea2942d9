"""The metadata of a Python project: where its packages are, what it needs, how it is tested."""
