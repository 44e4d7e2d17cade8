"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

SHARED = Path(os.environ.get("HEDGEROW_SHARED") or Path(__file__).parents[2] / "shared")


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """Return a function from the name of a public data set to its file; the test is skipped without it."""

    def find(name: str) -> Path:
        path = SHARED / "data" / name
        if not path.exists():
            pytest.skip(f"the shared data set {name} is not on this machine (set HEDGEROW_SHARED)")
        return path

    return find


# Tests are not timed: a busy machine must not fail them.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
