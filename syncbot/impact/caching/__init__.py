"""Machinery for speed: caches on disk, and second processes that fill them beside the analysis."""
