"""One module a rewrite rule; each is found by itself and named after what upstream did."""
