"""The history of an upstream symbol, and what one upstream commit did to the interface."""
