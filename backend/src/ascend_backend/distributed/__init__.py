"""Collectives between devices."""
