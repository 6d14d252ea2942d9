"""Triton without a device."""
