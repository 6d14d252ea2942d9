"""What became of an upstream symbol, and what one upstream change did to the interface."""
