"""What all tests share."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

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

_constants_of_loaded_modules = getattr(providers, "_get_local_constants", None)  # since Hypothesis 6.131


def _local_constants() -> Any:
    """Return the constants of our modules that Hypothesis draws from: none where runs are to be the same, since they
    depend on which modules a worker has loaded by then, and so on the order of the tests."""
    return providers.Constants() if settings.default.derandomize else _constants_of_loaded_modules()


if _constants_of_loaded_modules is not None:
    providers._get_local_constants = _local_constants


QUICK_FUNCTIONS, QUICK_CASES, QUICK_EXAMPLES = 3, 1, 5


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Keep bytes out of the names of tests: archives contain the time, and all workers must collect the same names."""
    return argname if isinstance(val, bytes) else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare --quick."""
    parser.addoption(
        "--quick", action="store_true", help="only the first tests of every file, with few cases and examples of each"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let property tests draw few examples in a quick run."""
    if config.getoption("--quick"):
        settings.register_profile("quick", settings.get_profile("repeatable"), max_examples=QUICK_EXAMPLES)
        settings.load_profile("quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the first cases of the first test functions of every file in a quick run."""
    if not config.getoption("--quick"):
        return
    cases: dict[Path, Counter[str]] = {}
    kept, left_out = [], []
    for item in items:
        functions = cases.setdefault(item.path, Counter())
        functions[item.nodeid.split("[")[0]] += 1
        few = len(functions) <= QUICK_FUNCTIONS and functions[item.nodeid.split("[")[0]] <= QUICK_CASES
        (kept if few else left_out).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped, and why; a reason ends before its first colon."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ").split(": ")[0] for report in skipped)
    if reasons:
        terminalreporter.section(f"{len(skipped)} tests skipped")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:6,}  {reason}")
