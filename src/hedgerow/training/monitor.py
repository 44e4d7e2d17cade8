"""Monitor: how a long job is followed; the command line draws bars, Python shows nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Progress = Callable[[int, int | None], None] | None


class Monitor:
    """Follows a job in stages; this one shows nothing."""

    def stage(self, what: str, work: float = 0.0, rest: float = 0.0) -> AbstractContextManager[Progress]:  # noqa: ARG002
        """Return a context with the callback of a stage: so much `work`, with the `rest` of the job after it."""
        return nullcontext()
