"""Publishes findings on GitHub: an issue a day, a pull request with the patches, a commit status."""
