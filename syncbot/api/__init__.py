"""Source text to symbol tables, symbol tables to API changes. Static parsing only."""
