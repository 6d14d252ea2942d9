"""A small plugin that somebody else publishes, two releases of it, and the project that runs them as published."""

from __future__ import annotations

import hashlib
from pathlib import Path
from textwrap import indent

from tests.project_texts import hatchling, write
from tests.verify.conftest import make_sdist, make_wheel

#: The first run notes its processes, from Ray's own to its own, in the file ``hung``, and hangs.
HANGS_ONCE = """
try:
    with hung.open("x") as mark:
        raylet, each, between = int(os.environ["RAY_RAYLET_PID"]), os.getpid(), []
        while each not in (raylet, 1):
            between.insert(0, each)
            each = int(Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()[1])
        mark.write(f"{raylet} {' '.join(map(str, between))}\\n")
    time.sleep(300)
except FileExistsError:
    pass
"""
#: Says what the plugin's release says. A case is refused, one fails, one waits if it is told to; on
#: a node of a cluster the first hangs.
CHECK = f"""
import argparse, json, os, sys, time
from itertools import product
from pathlib import Path
import tiny, tinyplugin

def hangs_once(hung):
{indent(HANGS_ONCE, "    ")}

parser = argparse.ArgumentParser()
parser.add_argument("--case", action="append")
parser.add_argument("--runner", action="append")
parser.add_argument("--output", type=Path)
parser.add_argument("--faults", action="store_true")
given = parser.parse_args()
results = []
asked = list(product(given.case, given.runner))
for case, runner in asked:
    with open(os.environ["COUNTER"], "a") as counter:
        counter.write(f"{{tinyplugin.VERSION}} {{case}} {{runner}} {{os.environ.get('NODE', 'here')}}\\n")
    if case == os.environ.get("WAITS"):
        time.sleep(300)
    if "NODE" in os.environ:
        hangs_once(Path(os.environ["COUNTER"]).with_name("hung"))
    result = {{"case": case, "runner": runner, "failure": None, "executed": {{f"tinycases/references/{{case}}.py": [""]}}}}
    if case == "refused":
        result |= {{"failure": "the plugin knows no such case", "unsupported": "the plugin knows no such case"}}
    if case == "odd" and tinyplugin.VERSION == "1.1":
        result["failure"] = "token 3 is 7, not 9"
    if given.faults and not result["failure"]:
        result["faults"] = {{"slot": {{"took_effect": 3, "noticed": "token 0 is 1, not 2"}}}}
        if case == "even" and runner == "v2":
            result["faults"] |= {{"scale": {{"took_effect": 5}}, "sum": {{"took_effect": 1, "blind": "it rounds"}}}}
            result["failure"] = "scale took effect 5 times, and nobody noticed"
    results.append(result)
    given.output.write_text(json.dumps(results if len(asked) > 1 else result))
failures = [each["failure"] for each in results if each["failure"]]
if failures:
    print(failures[-1])
    sys.exit(1)
"""
PYPROJECT = """\
[tool.syncbot]
index = "{index}"
[tool.syncbot.upstreams.tiny]
packages = ["tiny"]
release = "tiny"
[tool.syncbot.plugin]
distribution = "tinyplugin"
check = "tinycases.check"
cases = {{ even = ["v1", "v2"], odd = ["v1"], refused = ["v1"] }}
beside = ["cases"]
stack = ["tinydep", "tinytool"]
together = 4
inherit = ["TINY_NOTES", "COUNTER", "NODE", "WAITS", "RAY_RAYLET_PID"]
build_environment = {{ TINY_KIND = "empty" }}
wheels = {{ DATA_WHEEL = "tinydata" }}
tests = {{ folders = ["tests"] }}
"""
_RELEASE = """\
- tag: v{version}
  wheel: '{version}'
  python: '>=3.11'
  stack: {{tinydep: '2', tinytool: '1', tinydata: '3'}}
  upstream: '1.5'
"""
VERSIONS = ("1.1", "1.0")


def plugin_project(folder: Path, server: str, web: Path, wheels: Path) -> Path:
    """Publish the plugin below ``web``, which is served as ``server``, and return the project's folder."""
    page = web / "simple" / "tinyplugin"
    page.mkdir(parents=True)
    links = []
    for version in VERSIONS:
        top = f"tinyplugin-{version}"
        members = {
            "PKG-INFO": f"Metadata-Version: 2.1\nName: tinyplugin\nVersion: {version}\n",
            "tinyplugin.egg-info/top_level.txt": "tinyplugin\n",
            "tinyplugin/__init__.py": f"VERSION = '{version}'\n",
            "tests/test_version.py": "import tinyplugin\n\ndef test_version():\n    assert tinyplugin.VERSION == '1.0'\n",
        }
        sdist = make_sdist(page / f"{top}.tar.gz", {f"{top}/{name}": text for name, text in members.items()})
        digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
        links.append(f'<a href="{sdist.name}#sha256={digest}">{sdist.name}</a>')
    (page / "index.html").write_text("\n".join(links))
    make_wheel(wheels, "tinydata", "3", {"tinydata.py": ""})
    releases = "".join(_RELEASE.format(version=version) for version in VERSIONS)
    write(
        folder,
        {
            "pyproject.toml": PYPROJECT.format(index=server),
            "plugin_matrix.yaml": f"schema_version: 1\nupstream: tiny\nreleases:\n{releases}",
            "cases/pyproject.toml": hatchling("tinycases", "0", package="src/tinycases"),
            "cases/src/tinycases/__init__.py": "",
            "cases/src/tinycases/check.py": CHECK,
            **{f"cases/src/tinycases/references/{name}.py": "" for name in ("even", "odd", "refused")},
        },
    )
    return folder
