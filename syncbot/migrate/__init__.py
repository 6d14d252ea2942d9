"""Moving a backend without lanes to a new upstream: what rewrites answer which impacts, and the proof."""
