"""What happens in a simulated run: what upstream calls of the plugin, and which operators run."""
