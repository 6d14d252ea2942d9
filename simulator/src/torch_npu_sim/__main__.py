"""Says what is simulated, and which operators of a plugin are: ``python -m torch_npu_sim [operators PLUGIN]``."""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from torch_npu_sim import strictness
from torch_npu_sim.schemas import wheel
from torch_npu_sim.settings import VARIABLES, SettingsError, read_settings, variable
from torch_npu_sim.surface import loading, stand_ins
from torch_npu_sim.surface.inventory import Operator, operators
from torch_npu_sim.triton import loading as triton


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is asked for; the exit code is 2 for what cannot be read, with one line on standard error.

    Whoever reads may stop at any line.
    """
    parser = argparse.ArgumentParser(prog="python -m torch_npu_sim", description=__doc__)
    commands = parser.add_subparsers(dest="command")
    listed = commands.add_parser("operators", help="the operators that a plugin names, and which are simulated")
    listed.add_argument("plugin", type=Path, help="folder, source distribution or wheel of the plugin; nothing is run")
    listed.add_argument("--wheel", type=Path, help=f"wheel of torch_npu; else {wheel.WHEEL_VARIABLE}")
    listed.add_argument("--json", action="store_true", help="all of it, with the places, as JSON")
    given = parser.parse_args(arguments)
    try:
        print(_operators(given) if given.command == "operators" else "\n".join(simulated()), flush=True)
    except BrokenPipeError:
        # Nobody is told of it when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except ModuleNotFoundError as error:
        mend = ": install its CPU build here, with pip install torch" if error.name == "torch" else ""
        print(f"torch_npu_sim: {error}{mend}", file=sys.stderr)
        return 2
    except (ImportError, OSError, SettingsError) as error:
        print(f"torch_npu_sim: {error}", file=sys.stderr)
        return 2
    return 0


def simulated() -> Iterable[str]:
    """Yield a line for each thing that is simulated. Raises ImportError, SettingsError."""
    settings = read_settings()
    if version := loading.real_one():
        yield f"torch_npu {version} is installed here: nothing is simulated"
        return
    yield f"device     {settings.devices} devices npu:0 to npu:{settings.devices - 1}, {settings.memory >> 20} MiB each"
    yield f"kernels    the CPU's; operators of torch_npu by {len(_implemented())} references"
    if settings.wheel is None:
        yield f"torch_npu  none: {wheel.WHEEL_VARIABLE} names no wheel"
    else:
        source = wheel.locate()
        declared = wheel.read(source)
        yield f"torch_npu  {source.version}, names and {len(declared)} schemas of {source.origin}"
        if unknown := loading.left_out(declared):
            yield f"           left out, as this torch does not know their types: {', '.join(sorted(unknown))}"
    for namespace, schemas in loading.own_schemas().items():
        yield f"plugin     {len(schemas)} operators of torch.ops.{namespace}, by {variable('csrc')}"
    yield f"Triton     {triton.kind()}"
    for module in stand_ins.requested():
        yield f"stand-in   {module}: {stand_ins.reason(module)}"
    yield from _strict()
    for each in VARIABLES.values():
        value = os.environ.get(each.name)
        told = f"not set: {each.default.strip('`')}" if value is None else value
        yield f"variable   {each.name}  {told}"
    yield "not shown  numerics of kernels, speed, HCCL, races between streams"


def _strict() -> Iterable[str]:
    known = strictness.exceptions()
    if read_settings().strict:
        yield f"strict     whatever documentation forbids, the {len(known)} exceptions included"
    else:
        yield f"strict     whatever documentation forbids, but for {len(known)} exceptions ({variable('strict')}=1):"
        for entry in known:
            yield f"           {', '.join(entry.operators)}: {entry.what}"


def _operators(given: argparse.Namespace) -> str:
    source = wheel.from_wheel(given.wheel) if given.wheel else wheel.locate()
    found = operators(given.plugin, wheel.read(source), _implemented())
    if given.json:
        return json.dumps([asdict(each) for each in found], indent=1)
    return "\n".join(report(found, f"torch_npu {source.version}"))


def report(found: Sequence[Operator], declared_by: str) -> Iterable[str]:
    """Yield the lines that count operators by family, and name those without a reference and what they would need."""
    with_schema = sum(bool(each.schemas) for each in found)
    computed = sum(each.reference for each in found)
    yield (
        f"{len(found)} operators are named; {with_schema} have a schema in {declared_by} or in the plugin's C++; "
        f"{computed} have a reference"
    )
    families = Counter(each.family for each in found)
    for family, count in sorted(families.items()):
        done = sum(each.reference for each in found if each.family == family)
        yield f"  {family}: {done} of {count}"
    for title, wanted in (("without a reference", True), ("without a schema", False)):
        missing = [each for each in found if not each.reference and bool(each.schemas) is wanted]
        if missing:
            yield f"{title}:"
        for each in missing:
            yield f"  {each.namespace}.{each.name}  ({each.family}; {each.places[0]})"
            yield from (f"    {schema}" for schema in each.schemas)


def _implemented() -> frozenset[str]:
    # They need torch, which the rest does not, and which loads the simulation.
    import torch  # noqa: F401

    from torch_npu_sim import operators, references
    from torch_npu_sim.surface import formats

    references.load()
    return operators.implemented() | formats.implemented()


if __name__ == "__main__":
    sys.exit(main())
