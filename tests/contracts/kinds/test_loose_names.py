"""Names on receivers of unknown class, where hardly anything upstream defines such a name any more."""

from __future__ import annotations

from tests.contracts.world import engine, findings, rows

OLD = "class State:\n    def __init__(self):\n        self.token_count = 1\n        self.other_thing = 2\n"
NEW = OLD.replace("token_count", "tokens")
READ = "import engine\ndef read():\n    return engine.current().token_count\n"


def test_most_definitions_gone_is_as_good_as_all() -> None:
    before = engine(OLD, b=OLD, c=OLD)
    backend = {"plugin/use.py": READ}
    most = findings(before, engine(NEW, b=NEW, c=OLD), backend)
    assert rows(most) == ["name-vanished token_count at-risk 3 token_count"]
    assert "few modules upstream still define: token_count (before: engine.b, engine.core)" in most[0].reason
    assert findings(before, engine(NEW, b=OLD, c=OLD), backend) == []


def test_a_test_for_the_name_is_said_to_fail_silently() -> None:
    plugin = (
        "import engine\ndef read():\n    state = engine.current()\n"
        "    if hasattr(state, 'token_count'):\n        return state.token_count\n"
    )
    (finding,) = findings(engine(OLD), engine(NEW), {"plugin/use.py": plugin})
    assert finding.reason.endswith("the test for it here will fail silently")
