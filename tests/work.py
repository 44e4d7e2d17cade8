"""Work counted instead of timed, so that a test decides the same on a busy machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import pytest

# tools/sanitize.sh sets the variable: sanitizers keep freed memory and pad allocations, so memory limits mean nothing.
NOT_SANITIZED = pytest.mark.skipif("HEDGEROW_SANITIZED" in os.environ, reason="sanitizers take memory of their own")


def count_calls(function: Callable[[], Any]) -> int:
    """Return how many Python and built-in functions are called while the function runs."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return calls
