"""The value of an expression of the backend, such as an object of an upstream class, and its evidence."""
