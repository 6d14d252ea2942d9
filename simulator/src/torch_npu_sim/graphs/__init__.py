"""Graphs of the simulated device."""
