"""``syncbot verify-plugin``: do the releases of somebody else's plugin run, as published?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from syncbot.cli import options, options_of_runs
from syncbot.cli.progress import meter
from syncbot.errors import UsageError
from syncbot.verify import executors

if TYPE_CHECKING:
    from syncbot.workflows.verify_plugin import PluginOptions


@click.command(short_help="Run releases of a published plugin on a simulated device.")
@click.option(
    "--release", "releases", multiple=True, metavar="VERSION",
    help="Only this release of the plugin, such as 1.2.0rc1. Repeatable.",
)  # fmt: skip
@click.option(
    "--check", "checks", multiple=True, metavar="NAME",
    help="Only this check, such as simulate-qwen3-v1. Repeatable.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Run checks again that passed on the same sources.")
@options_of_runs.executor
@click.option(
    "--faults", is_flag=True,
    help="Put faults into the checks that passed: each that takes effect has to be noticed.",
)  # fmt: skip
@click.option(
    "--stale",
    is_flag=True,
    help="Only checks in the matrix whose evidence is of other sources, with faults and without.",
)
@options_of_runs.budget
@click.option(
    "--tests", is_flag=True,
    help="Run the tests that the releases bring along instead of checks.",
)  # fmt: skip
@options_of_runs.test_paths
@options.backend
def command(stale: bool, budget: float | None, tests: bool, only: tuple[str, ...], **asked: Any) -> int:
    """Run the releases of the plugin in [tool.syncbot.plugin] and write the evidence into its matrix.

    The plugin's source distribution comes from the package index and its build never runs. Each release runs
    beside the upstream that it was made for, without an accelerator. The evidence says unsupported, in the
    plugin's words, where the plugin itself refuses. An interrupted run goes on where it stopped.

    Example: syncbot verify-plugin --release 1.2.0rc1 --check simulate-qwen3-v1

    With --faults the checks are called faults-..., and each fails if one of its faults takes effect and is
    not noticed, unless the case says that it is blind to it.

    Example: syncbot verify-plugin --release 1.2.0rc1 --faults

    With --tests the release's own tests run, on as many processes as there are processors, and what became
    of each is kept beside the matrix.

    Example: syncbot verify-plugin --release 1.2.0rc1 --tests
    """
    from syncbot.workflows.verify_plugin import PluginOptions, verify_plugin

    wanted = PluginOptions(**asked, stale=stale or budget is not None, budget=budget)
    if wanted.stale and (wanted.force or wanted.faults):
        raise UsageError(
            "--stale and --budget run what is stale, with faults and without: leave out --force and --faults"
        )
    if tests or only:
        return _tests(wanted, only)
    results = verify_plugin(wanted, lambda result: click.echo(result.as_text()), meter)
    return int(any(result.evidence.status in ("fail", "unknown") for result in results))


def _tests(wanted: PluginOptions, only: tuple[str, ...]) -> int:
    from syncbot.workflows.lane_suites import SuiteOptions
    from syncbot.workflows.release_suites import release_suites

    if wanted.checks or wanted.faults or wanted.stale or wanted.executor != executors.DEFAULT:
        raise UsageError("--tests runs the plugin's own tests here: leave out --check, --faults, --stale")
    asked = SuiteOptions(backend=wanted.backend, lanes=wanted.releases, only=only, force=wanted.force)
    reports = release_suites(asked, lambda report: click.echo(report.as_text()), meter)
    return int(not all(report.passed for report in reports))
