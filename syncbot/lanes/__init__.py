"""Lanes: the matrix that lists them, their generation from one clean source, their wheels."""
