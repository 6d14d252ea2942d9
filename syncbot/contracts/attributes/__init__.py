"""Attributes that upstream's classes and modules are not seen to have any more: what speaks against that."""
