"""One module a kind of contract: how it is found in the backend, and when upstream no longer keeps it."""
