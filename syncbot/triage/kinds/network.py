"""Another machine or service cannot be reached."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_WORDS = re.compile(
    r"Max retries exceeded|Name or service not known|name resolution|Connection refused"
    r"|Network is unreachable"
    r"|nodename nor servname|Read timed out|Connection timed out|No route to host|Connection reset by peer"
    r"|We couldn't connect to|Cannot connect to host|CERTIFICATE_VERIFY_FAILED|Proxy Error|RemoteDisconnected"
    r"|\b(?:429|502|503|504) (?:Server|Client) Error",
    re.IGNORECASE,
)
_TYPES = frozenset(
    {"ConnectionError", "ConnectTimeout", "ReadTimeout", "ConnectionRefusedError", "gaierror", "SSLError",
     "ConnectError", "ProxyError", "LocalEntryNotFoundError", "OfflineModeIsEnabled", "URLError"}
)  # fmt: skip


@kind
def network(error: Raised) -> Symptom | None:
    """No names: the text says which host it is."""
    if error.name not in _TYPES and not _WORDS.search(error.message):
        return None
    if "does not appear to have" in error.message or "model identifier" in error.message:
        return None  # a model that is not there, told together with where it was looked for
    note = "a host could not be reached: try again, or look at network and proxy"
    return Symptom("network", Nature.ENVIRONMENT, note=note)
