"""Backend source to contracts: each reliance of the backend on an upstream symbol, with file and line."""
