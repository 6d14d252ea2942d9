"""Runs on the interpreter of a lane's environment, which has nothing else of syncbot: these modules import
only the standard library, pytest and one another."""
