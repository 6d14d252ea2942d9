"""Recipes of tiny random models, one module each."""
