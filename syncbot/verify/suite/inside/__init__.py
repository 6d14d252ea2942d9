"""What runs on the interpreter of a lane's environment, which knows nothing else of syncbot: these modules
import the standard library, pytest and one another alone."""
