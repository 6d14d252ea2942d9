"""The tests that a plugin brings along, run beside its upstream without a device."""
