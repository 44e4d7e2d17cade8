"""Monitor: how a long job is followed; the command line draws bars, Python shows nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Progress = Callable[[int, int | None], None] | None


class Monitor:
    """Follows a job in stages; this one shows nothing."""

    def stage(
        self,
        what: str,  # noqa: ARG002
        work: float = 0.0,  # noqa: ARG002
        rest: float = 0.0,  # noqa: ARG002
        parts: int = 0,  # noqa: ARG002
    ) -> AbstractContextManager[Progress]:
        """Return a context with the callback of a stage: so much `work`, with the `rest` of the job after it.

        If the callback counts work itself, `parts` is how many of its counts are one unit of work.
        """
        return nullcontext()
