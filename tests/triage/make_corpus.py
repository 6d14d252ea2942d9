"""Makes the logs in ``corpus`` by running the backend on the upstream that breaks it.

usage: python tests/triage/make_corpus.py CORPUS

Everything runs in /srv/app, so that no path of this machine gets into a log; those of Python and of pytest
are replaced by ``/usr/lib/python3``. ``cases.json`` says for each log what is true of it: that comes from the
scenarios, not from what syncbot makes of the log.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from world import PLUGIN, TRUTH, Engine, write

APP = Path("/srv/app")
LIBRARIES = (sysconfig.get_path("purelib"), sysconfig.get_path("stdlib"))
STYLES = ("long", "short", "native", "line")
# Scenarios whose modules fail when they are imported, in pytest's collection of a test module of their own.
COLLECTED = ("function_moved", "module_moved", "module_fallback")


def environment(**more: str) -> dict[str, str]:
    paths = f"{APP}/site-packages:{APP}/plugin/src"
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": paths,
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(APP),
        **more,
    }


def set_up() -> None:
    for name in ("site-packages", "plugin", "engine"):
        shutil.rmtree(APP / name, ignore_errors=True)
    engine = Engine(APP / "engine")
    engine.build()
    shutil.copytree(APP / "engine" / "engine", APP / "site-packages" / "engine")
    shutil.rmtree(APP / "engine")
    write(APP / "plugin", PLUGIN)


def cleaned(output: bytes) -> bytes:
    text = output
    for library in LIBRARIES:
        text = text.replace(library.encode(), b"/usr/lib/python3")
    text = text.replace(sys.executable.encode(), b"/usr/bin/python3")
    # As wide as the terminal was, pytest cuts the texts of its summary: that stays.
    return re.sub(rb"rootdir: .*", b"rootdir: /srv/app/plugin", text)


def plain(scenario: str) -> bytes:
    line = [sys.executable, "-c", f"import plugin.{scenario} as m; m.run()"]
    return output(line, environment())


def served(scenario: str, size: int) -> bytes:
    """Several processes that write to one pipe."""
    return output([sys.executable, "-m", "engine.serve", scenario, str(size)], environment())


def tested(scenario: str, style: str, *options: str) -> bytes:
    tests = "tests/test_plugin.py"
    if scenario in COLLECTED:
        tests = f"tests/test_{scenario}.py"
        write(APP / "plugin", {tests: f"from plugin.{scenario} import run\n\n\ndef test_run():\n    run()\n"})
    line = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--tb={style}", *options, tests]
    return output(line, environment(SCENARIO=scenario), APP / "plugin")


def output(line: list[str], env: dict[str, str], folder: Path = APP) -> bytes:
    done = subprocess.run(
        line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, cwd=folder, check=False
    )
    assert done.returncode != 0, (line, done.stdout)
    return cleaned(done.stdout)


def stamped(text: bytes) -> bytes:
    """As a runner of GitHub Actions writes it: the time before each line."""
    now = [f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}1Z ".encode() for _ in text.splitlines()]
    return b"\xef\xbb\xbf" + b"".join(
        n + line + b"\n" for n, line in zip(now, text.splitlines(), strict=True)
    )


def named(text: bytes) -> bytes:
    """As GitHub's command line prints a log: job, step and time before each line."""
    return b"".join(b"tests (3.11)\tRun tests\t" + line + b"\n" for line in stamped(text).splitlines())


def logs() -> Iterator[tuple[str, str, bytes]]:
    """Name, scenario and content of each log."""
    for index, scenario in enumerate(TRUTH):
        style = STYLES[index % len(STYLES)]
        if TRUTH[scenario].origin == "upstream":
            yield f"{scenario}-server.log", scenario, served(scenario, 2 + index % 3)
        else:
            yield f"{scenario}-run.log", scenario, plain(scenario)
            if index % 2:
                continue
        colour = ("--color=yes",) if index % 3 == 0 else ()
        text = tested(scenario, style, *colour)
        if index % 3 == 0:
            yield f"{scenario}-{style}-actions.log", scenario, stamped(text)
        elif index % 7 == 0:
            yield f"{scenario}-{style}-gh.log", scenario, named(text)
        else:
            yield f"{scenario}-{style}.log", scenario, text
    yield "keyword_removed-run.log.gz", "keyword_removed", gzip.compress(plain("keyword_removed"), mtime=0)
    yield "attribute_gone-run.log", "attribute_gone", plain("attribute_gone")
    yield (
        "damaged.log",
        "keyword_removed",
        b"\xff\xfe\x00broken \xc3\x28\r\n" + plain("keyword_removed") + b"\x80\x81",
    )


def main() -> None:
    target = Path(sys.argv[1]).absolute()
    for old in [*target.glob("*.log*"), *target.glob("*.zip")]:
        if not old.name.startswith("device-"):
            old.unlink()
    target.mkdir(parents=True, exist_ok=True)
    file = target / "cases.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    cases = {name: case for name, case in known.items() if name.startswith("device-")}
    set_up()
    for name, scenario, content in logs():
        (target / name).write_bytes(content)
        truth = TRUTH[scenario]
        cases[name] = {"kind": truth.kind, "pr": truth.pr, "origin": truth.origin}
    # An archive of a workflow run: each job whole and again by steps.
    with zipfile.ZipFile(target / "workflow.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number, scenario in enumerate(("result_longer", "disk_full")):
            text = stamped(tested(scenario, "short"))
            archive.writestr(f"{number}_{scenario}.txt", text)
            archive.writestr(f"{scenario}/1_Run tests.txt", text)
    cases["workflow.zip"] = {"kind": "unpacking", "pr": 118, "origin": "upstream"}
    file.write_text(json.dumps(dict(sorted(cases.items())), indent=1) + "\n")
    print(len(cases), "logs,", sum(f.stat().st_size for f in target.iterdir()), "bytes")


if __name__ == "__main__":
    main()
