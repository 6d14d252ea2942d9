"""Which release of an upstream first declares the operators that the backend calls, and what changed since.

usage: python benchmarks/operators.py [--upstream torch_npu] [--below src/ascend_backend/ops]
                                      [--write backend/docs/operators.md] VERSION...

The upstream is a configured one with files of operator schemas. The releases, oldest first, are imported from
the package index as ``syncbot check`` does; of torch_npu each is a wheel of 20 to 45 MB. With ``--write``,
the part of the page between the two marks is replaced; without, it is printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from syncbot import config as configuration
from syncbot.api.signatures import Signature
from syncbot.contracts.configured_facts import SchemaFile
from syncbot.contracts.operators.registrations import operators
from syncbot.contracts.operators.schema_files import as_python
from syncbot.contracts.source_files import read_backend
from syncbot.errors import SyncbotError, UsageError
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.opening import Upstream, open_upstream

BEGIN, END = "<!-- schemas: begin -->", "<!-- schemas: end -->"
ROOT = Path(__file__).parents[1]

Declared = Mapping[str, Signature]


def declared(upstream: Upstream, version: str, files: Sequence[SchemaFile]) -> Declared:
    """Return the signature of each operator of a release, by name with overload.

    Raises UsageError where the release has no such file.
    """
    tree = upstream.repository.tree(upstream.repository.resolve(version))
    found: dict[str, Signature] = {}
    for file in files:
        if file.file not in tree:
            raise UsageError(f"{upstream.name} {version} has no {file.file}: name later releases")
        for operator in operators(as_python(upstream.repository.blob(tree[file.file].blob), file)):
            name = operator.name.partition("::")[2]
            found.setdefault(name, Signature(operator.parameters or ()))
    return found


def used(texts: Iterable[bytes], files: Sequence[SchemaFile], known: Iterable[str]) -> list[str]:
    """The known operators that some sources call as a function of one of the files' modules."""
    sources = [text.decode("utf-8", "replace") for text in texts]
    modules = [module for file in files for module in file.modules]
    return sorted(name for name in known if any(f"{m}.{name}(" in text for m in modules for text in sources))


def rows(names: Sequence[str], releases: Mapping[str, Declared]) -> list[str]:
    """One row of the table for each operator."""
    versions = list(releases)
    found = []
    for name in names:
        having = [version for version in versions if name in releases[version]]
        first = f"{having[0]}{' or earlier' if having[0] == versions[0] else ''}"
        changes = []
        for before, after in pairwise(having):
            changes += [
                f"{after}: {what}" for what in _changes(releases[before][name], releases[after][name])
            ]
        found.append(f"| `{name}` | {first} | {'; '.join(changes) or 'none'} |")
    return found


def _changes(old: Signature, new: Signature) -> list[str]:
    before, after = ({p.name: p for p in s.parameters} for s in (old, new))
    added, gone = ([n for n in one if n not in other] for one, other in ((after, before), (before, after)))
    found = [f"takes {', '.join(f'`{name}`' for name in added)}"] if added else []
    found += [f"no longer takes {', '.join(f'`{name}`' for name in gone)}"] if gone else []
    found += [
        f"`{name}` is `{after[name].default}` by default, not `{before[name].default}`"
        for name in before
        if name in after and before[name].default != after[name].default
    ]
    return found


def main() -> int:
    """Print or write the table; exit code 2 or 3 with one line where it cannot be made."""
    parser = argparse.ArgumentParser(prog="operators.py", description=__doc__.partition("\n")[0])
    parser.add_argument("versions", nargs="+", metavar="VERSION")
    parser.add_argument("--upstream", default="torch_npu")
    parser.add_argument("--below", default="src/ascend_backend/ops", help="folder of the backend's calls")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    try:
        config = configuration.load(ROOT)
        followed = config.upstreams.get(options.upstream)
        if followed is None or not followed.schemas:
            raise UsageError(f"{options.upstream} is no configured upstream with files of operator schemas")
        files = [SchemaFile(**schemas.model_dump()) for schemas in followed.schemas]
        with open_upstream(config, options.upstream, cache_dir(), options.versions) as upstream:
            releases = {version: declared(upstream, version, files) for version in options.versions}
        backend = read_backend(config.backend_path, config.sources, config.tests)
        calling = (file.text for file in backend.files if file.path.startswith(f"{options.below}/"))
        names = used(calling, files, releases[options.versions[-1]])
    except SyncbotError as error:
        print(f"operators.py: {error}", file=sys.stderr)
        return error.exit_code
    head = [
        f"Releases read: {', '.join(options.versions)}.",
        "",
        "| operator | first release | changes of the schema since |",
        "|---|---|---|",
    ]
    table = "\n".join([*head, *rows(names, releases)])
    if options.write is None:
        print(table)
        return 0
    page = options.write.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    options.write.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
