"""Records a simulated run: the calls from upstream into the plugin, and the operators that run."""
