"""hedgerow learners: the learners, and the parameters of one."""

from __future__ import annotations

import click

from hedgerow.cli.options import JSON_OPTION
from hedgerow.cli.output import show


@click.command("learners")
@click.argument("name", required=False)
@JSON_OPTION
def command(name: str | None, as_json: bool) -> None:
    """List all learners, or the parameters of the learner called NAME.

    \b
      hedgerow learners
      hedgerow learners c45
    """  # noqa: D301
    from hedgerow.learn.registry import find_learner, learners
    from hedgerow.report.about.learners import learners_report

    known = learners()
    if name is not None:
        wanted = find_learner(name).name
        known = {wanted: known[wanted]}
    show(learners_report(known.values(), details=name is not None), as_json)
