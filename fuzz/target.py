"""A fuzz target: how an input is generated, which property is checked, and how a failing input is minimized.

An input is a plain JSON value, so that a failing one can be stored in `tests/corpus` and read by people. All targets
check the same property: the outcome is either an error message (a `HedgerowError`) or a valid result. Any other
exception, an input that takes too long, and a process that crashes are failures.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from hedgerow.errors import HedgerowError

SENTENCE, ANSWER = "sentence", "answer"
LONGEST_SENTENCE = 2_000


@dataclass(frozen=True)
class Target:
    """What is fuzzed: `make` generates an input, `check` uses it and raises an AssertionError for an invalid result."""

    group: str
    name: str
    make: Callable[[Random], Any]
    check: Callable[[Any], None]
    smaller: Callable[[Any], Iterable[Any]] = lambda _: ()

    def outcome(self, case: Any) -> str:
        """Return whether an input gave an error message or a result; a failure is raised."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)  # a number that went out of range unnoticed
            try:
                self.check(case)
            except HedgerowError as error:
                check_sentence(str(error))
                return SENTENCE
        return ANSWER


def check_sentence(text: str) -> None:
    """Raise unless an error message can be printed: not empty, not too long, and valid UTF-8."""
    assert text.strip(), "the error has no text"
    assert len(text) <= LONGEST_SENTENCE, f"the error has {len(text):,} characters"
    text.encode("utf-8")


def failure_of(target: Target, case: Any) -> str | None:
    """Return the last line of the traceback of a failing input; None if it does not fail."""
    try:
        target.outcome(case)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    return None


def minimized(target: Target, case: Any, failure: str, tries: int = 400) -> Any:
    """Return a smaller input that fails with the same kind of error."""
    kind = failure.partition(":")[0]
    for _ in range(tries):
        found = None
        for small in target.smaller(case):
            tries -= 1
            if tries <= 0:
                return case
            told = failure_of(target, small)
            if told is not None and told.partition(":")[0] == kind:
                found = small
                break
        if found is None:
            return case
        case = found
    return case
