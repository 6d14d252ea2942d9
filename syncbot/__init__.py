"""syncbot keeps a downstream backend running on every supported version of a fast upstream.

These names are its Python interface (docs/python.md). Each is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from syncbot.errors import ConfigurationError as ConfigurationError
    from syncbot.errors import EnvironmentFailure as EnvironmentFailure
    from syncbot.errors import SyncbotError as SyncbotError
    from syncbot.errors import UsageError as UsageError
    from syncbot.workflows.apply import ApplyOptions as ApplyOptions
    from syncbot.workflows.apply import apply as apply
    from syncbot.workflows.check import check as check
    from syncbot.workflows.check_options import CheckOptions as CheckOptions
    from syncbot.workflows.contracts import ContractsOptions as ContractsOptions
    from syncbot.workflows.contracts import list_contracts as list_contracts
    from syncbot.workflows.explain import ExplainOptions as ExplainOptions
    from syncbot.workflows.explain import explain_upstream as explain_upstream
    from syncbot.workflows.migrate import MigrateOptions as MigrateOptions
    from syncbot.workflows.migrate import migrate_backend as migrate_backend
    from syncbot.workflows.triage import TriageOptions as TriageOptions
    from syncbot.workflows.triage import triage_logs as triage_logs
    from syncbot.workflows.verify import VerifyOptions as VerifyOptions
    from syncbot.workflows.verify import verify_lanes as verify_lanes

# No name is also that of a package in here (migrate, verify, …): importing that would replace the name.
_PUBLIC = {
    "errors": ("ConfigurationError", "EnvironmentFailure", "SyncbotError", "UsageError"),
    "workflows.apply": ("ApplyOptions", "apply"),
    "workflows.check": ("check",),
    "workflows.check_options": ("CheckOptions",),
    "workflows.contracts": ("ContractsOptions", "list_contracts"),
    "workflows.explain": ("ExplainOptions", "explain_upstream"),
    "workflows.migrate": ("MigrateOptions", "migrate_backend"),
    "workflows.triage": ("TriageOptions", "triage_logs"),
    "workflows.verify": ("VerifyOptions", "verify_lanes"),
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return _version()
    for module, names in _PUBLIC.items():
        if name in names:
            return getattr(import_module(f"syncbot.{module}"), name)
    raise AttributeError(f"module 'syncbot' has no attribute {name!r}")


def _version() -> str:
    """Return the installed version: its tag, or how far from one. Sources not installed have none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("syncbot")
    except PackageNotFoundError:
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted([*globals(), *(name for names in _PUBLIC.values() for name in names)])
