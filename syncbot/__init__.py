"""syncbot keeps a downstream backend running on every supported version of a fast upstream."""

__version__ = "0.1.0"
