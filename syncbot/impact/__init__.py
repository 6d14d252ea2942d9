"""API changes that meet contracts: impacts, each with a verdict, a reason and one commit."""
