"""The worker process of a device: the worker itself, its model runners, and what it replaces, measures and says."""
