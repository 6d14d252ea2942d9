"""How a backend's simulated run is started: the table ``[tool.syncbot.simulate]``."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class SimulationSettings(BaseModel):
    """What to run in a lane's environment, and with what around it.

    ``check`` is a module of the backend, run as ``python -m CHECK --model M --runner R --output FILE``
    for each of ``models`` and ``runners``. It exits with 0 if the run was right and 1 if not, writes
    one JSON object, and says in the last line that it prints what was wrong. ``environment`` is set for it.

    ``stack`` names the distributions that a lane pins and that are installed beside upstream,
    ``requires`` further requirements, ``build_environment`` the variables under which upstream's source
    distribution is built. ``wheels`` maps a variable of the check's environment to a distribution that is
    pinned but only read: its wheel is downloaded and the variable holds the path.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    check: str = Field(pattern=r"^[A-Za-z_][\w.]*$")
    models: tuple[str, ...] = Field(min_length=1)
    runners: tuple[str, ...] = Field(min_length=1)
    stack: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    environment: dict[str, str] = Field(default_factory=dict)
    build_environment: dict[str, str] = Field(default_factory=dict)
    wheels: dict[str, str] = Field(default_factory=dict)
    timeout: float = Field(default=900.0, gt=0)
