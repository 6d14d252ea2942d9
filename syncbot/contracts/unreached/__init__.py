"""Code that nobody runs: upstream's behind what the backend overrides, the backend's that nothing calls."""
