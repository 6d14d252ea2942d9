"""The code around a line tells whether it runs: tests of versions, guards, caught errors."""
