"""One module a kind of answer, found by its presence."""
