"""Run the backend's imports and tests on both ends of a range, and tell what only the newer one fails."""
