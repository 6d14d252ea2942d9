from tests.cli.conftest import begun as begun
from tests.cli.conftest import project as project
