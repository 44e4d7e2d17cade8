"""What all tests share."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SHARED = Path(os.environ.get("HEDGEROW_SHARED") or Path(__file__).parents[2] / "shared")


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """Return a function from the name of a public data set to its file; the test is skipped without it."""

    def find(name: str) -> Path:
        path = SHARED / "data" / name
        if not path.exists():
            pytest.skip(f"needs a public data set that is not on this machine (set HEDGEROW_SHARED): {name}")
        return path

    return find


# The same commit gives the same answer: examples are drawn from the test's own name, none are remembered from an
# earlier run, and nothing is timed. `make fuzz` explores with fresh examples; what it finds becomes an `@example`.
settings.register_profile(
    "repeatable", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "explore", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow], report_multiple_bugs=False
)
settings.load_profile("repeatable")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped, and why; a reason ends before its first colon."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ").split(": ")[0] for report in skipped)
    if reasons:
        terminalreporter.section(f"{len(skipped)} tests skipped")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:6,}  {reason}")
