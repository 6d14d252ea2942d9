"""What the code around a line says of whether it runs: tests of versions, guards, caught errors."""
