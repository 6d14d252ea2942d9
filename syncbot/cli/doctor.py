"""``syncbot doctor``: which lane, or pin of the plugin, the installed stack fits, and what mends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from syncbot.cli import options
from syncbot.isolation.command import refusal
from syncbot.report.untrusted_text import json_text, printable

if TYPE_CHECKING:
    from syncbot.lanes.provenance import WheelOrigin
    from syncbot.project_metadata.declared_window import DeclaredWindow
    from syncbot.verify.installed_stack import Installed
    from syncbot.verify.plugin_fit import PluginFit
    from syncbot.verify.stack_fit import LaneFit


@click.command(short_help="Say which lane the installed stack fits, and how to fix it.")
@click.option(
    "--python", "interpreter", metavar="PATH", type=click.Path(path_type=Path),
    help="Interpreter of the environment to look at, such as /opt/venv/bin/python. "
    "[default: the active virtual environment's, else syncbot's own]",
)  # fmt: skip
@click.option("--lane", metavar="TAG", help="Compare with this lane only, such as v0.28.0.")
@options.backend
@options.text_or_json
def command(style: str, **asked: Any) -> int:
    """Compare the installed stack with the lanes of the matrix, and say how to fix what does not fit.

    Without a matrix, it compares with the versions and commits of the upstream that the plugin's own files
    name, and with its requirements. For a plugin in a git repository, it says which of its versions name the
    installed upstream. It reads versions from metadata and files, and imports nothing that is installed.
    It compares built wheels with the statements of where they come from. The exit code is 0 if what is
    installed fits a lane, or the plugin, and no wheel differs from its statement, else 1.

    Example: syncbot doctor --python .venv/bin/python
    """
    from syncbot.workflows.doctor import declared_by, examine_plugin, examine_stack, has_lanes, wheel_origins

    if asked["lane"] is None and not has_lanes(asked["backend"]):
        installed, fit = examine_plugin(asked["backend"], asked["interpreter"])
        window = declared_by(asked["backend"])
        shown = _plugin_json if style == "json" else _plugin_text
        click.echo(shown(installed, fit, window))
        return 0 if fit.is_sound else 1
    installed, fits = examine_stack(**asked)
    wheels = wheel_origins(asked["backend"])
    click.echo(_json(installed, fits, wheels) if style == "json" else _text(installed, fits, wheels))
    sound = all(wheel.state != "differs" for wheel in wheels)
    return 0 if sound and any(fit.fits for fit in fits) else 1


def _text(installed: Installed, fits: Sequence[LaneFit], wheels: Sequence[WheelOrigin]) -> str:
    lines = [f"{installed.interpreter}: Python {installed.python}"]
    for number, fit in enumerate(fits):
        wrong = sum(row.fit in ("differs", "missing") for row in fit.rows)
        verdict = "fits" if fit.fits else f"{wrong} of {len(fit.rows)} do not fit"
        lines += [] if number > 1 else [""]
        lines.append(f"lane {fit.lane}: {verdict}{f' (--lane {fit.lane} shows it)' if number else ''}")
        if number:
            continue
        width = max(len(row.name) for row in fit.rows)
        for row in fit.rows:
            found = row.found or "not found"
            wanted = f"needs {row.wanted}" if row.wanted is not None else "the matrix pins none"
            lines.append(f"  {row.name:<{width}}  {row.fit:<10}  {found} ({wanted})")
    if fits and not fits[0].fits:
        lines += ["", f"to fix it for {fits[0].lane}:"]
        lines += [f"  {step}" for step in fits[0].mend]
        lines += [f"  by hand: {step}" for step in fits[0].by_hand]
    lines += [""] if wheels else []
    lines += [f"wheel {w.file}: {w.state}{f' ({w.reason})' if w.reason else ''}" for w in wheels]
    lines += ["", f"foreign code: {_isolation()}"]
    return "\n".join(map(printable, lines))


def _isolation() -> str:
    why = refusal()
    if why:
        return f"builds and runs see few variables, but network and project are open to them: {why}"
    return "builds and runs reach no network and cannot change the project"


def _json(installed: Installed, fits: Sequence[LaneFit], wheels: Sequence[WheelOrigin]) -> str:
    document = {
        "interpreter": str(installed.interpreter),
        "python": installed.python,
        "isolated": not refusal(),
        "wheels": [asdict(wheel) for wheel in wheels],
        "fits": [fit.lane for fit in fits if fit.fits],
        "lanes": [
            {
                "tag": fit.lane,
                "fits": fit.fits,
                "stack": [asdict(row) for row in fit.rows],
                "mend": fit.mend,
                "by_hand": fit.by_hand,
            }
            for fit in fits
        ],
    }
    return json_text(document)


def _plugin_text(installed: Installed, fit: PluginFit, window: DeclaredWindow) -> str:
    lines = [_answer(fit), "", f"{installed.interpreter}: Python {installed.python}"]
    lines += [f"{fit.plugin} is for {fit.upstream}:"] if fit.pins else []
    files: dict[str, list[str]] = {}
    for pin in fit.pins:
        files.setdefault(f"{'>= ' if pin.bound else ''}{pin.version}", []).append(pin.file)
    for version, named in files.items():
        rest = f" and {len(named) - 1} more" if len(named) > 1 else ""
        lines.append(f"  {version} ({named[0]}{rest})")
    wrong = [row for row in fit.rows if row.fit != "ok"]
    lines += (
        [f"{len(fit.rows) - len(wrong)} of {len(fit.rows)} other requirements are met"] if fit.rows else []
    )
    lines += [f"  {row.name}  {row.fit}  {row.found or 'not found'} (needs {row.wanted})" for row in wrong]
    if fit.others and not fit.fits:
        lines += [f"versions of {fit.plugin} that name {fit.upstream} {fit.found}: {', '.join(fit.others)}"]
    lines += [f"declared: {window}; on which releases it runs: syncbot window"] if window.requirements else []
    lines += ["", "to fix it:", *(f"  {step}" for step in fit.mend)] if fit.mend else []
    return "\n".join(map(printable, lines))


def _answer(fit: PluginFit) -> str:
    """Which upstream fits this plugin, and which plugin the installed upstream, in one line."""
    chosen = fit.chosen
    above = " or later" if chosen is not None and chosen.bound else ""
    wanted = f"{fit.upstream} {chosen.version}{above}" if chosen is not None else ""
    if fit.found is None:
        return f"MISSING: {fit.upstream} is not installed" + (
            f"; {fit.plugin} is for {wanted}" if wanted else ""
        )
    if not wanted:
        return f"UNKNOWN: no file of {fit.plugin} names a version of {fit.upstream}; {fit.found} is installed"
    if fit.fits:
        return f"FITS: {fit.upstream} {fit.found} is one that {fit.plugin} is for"
    other = f", or take {fit.plugin} {fit.others[-1]}, which is for {fit.found}" if fit.others else ""
    word = "UNKNOWN" if fit.fits is None else "DIFFERS"
    return f"{word}: {fit.plugin} is for {wanted}, and {fit.found} is installed: install {wanted}{other}"


def _plugin_json(installed: Installed, fit: PluginFit, window: DeclaredWindow) -> str:
    document = {
        "interpreter": str(installed.interpreter),
        "python": installed.python,
        "plugin": fit.plugin,
        "upstream": fit.upstream,
        "found": fit.found,
        "wanted": None if fit.chosen is None else asdict(fit.chosen),
        "fits": fit.fits,
        "declared": str(window),
        "pins": [asdict(pin) for pin in fit.pins],
        "requirements": [asdict(row) for row in fit.rows],
        "versions_for_found": fit.others,
        "mend": fit.mend,
        "answer": _answer(fit),
    }
    return json_text(document)
