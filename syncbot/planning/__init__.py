"""Plans fixes: takes impacts and both trees, returns rewrites or the reason why there are none."""
