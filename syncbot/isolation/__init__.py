"""Running foreign code: with few variables, a home of its own, no network, nothing of ours to write to."""
