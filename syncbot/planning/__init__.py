"""What mends this? One planner: impacts and both trees in, rewrites or the reason why not out."""
