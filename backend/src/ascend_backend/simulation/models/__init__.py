"""Recipes of tiny random models, one module each; a module registers its recipe on import."""

import importlib
import pkgutil

from ascend_backend.simulation.models.recipe import Recipe

_recipes: dict[str, Recipe] = {}


def register(recipe: Recipe) -> Recipe:
    """Make ``recipe`` known under its name and return it."""
    _recipes[recipe.name] = recipe
    return recipe


def recipes() -> dict[str, Recipe]:
    """Return all recipes by name."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(_recipes)
