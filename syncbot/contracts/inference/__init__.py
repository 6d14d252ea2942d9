"""What an expression of the backend is, such as an object of an upstream class, and what tells so."""
