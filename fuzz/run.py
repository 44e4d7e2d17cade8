"""Run a target in a separate process, so that a process that hangs or crashes is a finding like any other."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, NoReturn

from fuzz.target import Target, minimized

LONGEST = 20  # seconds that one input may take
MOST_BYTES = 6 << 30  # of address space: allocating a size that was not checked raises a MemoryError
MOST_KINDS = 6  # distinct failures of a target, after which it stops


@dataclass(frozen=True)
class Finding:
    """An input that failed: its number in the run, the error, its location, and a smaller input that fails alike."""

    number: int
    failure: str
    where: str
    case: Any


@dataclass
class Tally:
    """The outcomes of the inputs of a target."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


class TookTooLongError(Exception):
    """Raised when an input exceeds the time limit."""


def random_for(seed: int, target: Target, number: int) -> Random:
    """Return the random generator for an input, which depends on nothing else, so that any input can be reproduced."""
    return Random(f"{seed}/{target.group}/{target.name}/{number}")


def run(target: Target, seed: int, seconds: float, start: int = 0, most: int | None = None) -> Tally:
    """Fuzz a target for some seconds, or with at most `most` inputs; continue after a crash of the process."""
    tally, deadline = Tally(), time.monotonic() + seconds
    while start >= 0 and (time.monotonic() < deadline or not tally.counts):
        start = _in_child(target, seed, start, deadline, most, tally)
        if len(tally.findings) >= MOST_KINDS:
            break
    return tally


def _in_child(target: Target, seed: int, start: int, deadline: float, most: int | None, tally: Tally) -> int:
    """Run inputs in another process; return the number of the next input if it crashed, -1 if it finished."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=_child, args=(target, seed, start, deadline, most, theirs), daemon=True)
    child.start()
    theirs.close()
    number, asked_at = start, time.monotonic()
    try:
        while True:
            if not ours.poll(3 * LONGEST):
                child.kill()
                raise EOFError
            message = ours.recv()
            if isinstance(message, int):
                number = message
            elif isinstance(message, Counter):
                tally.counts += message
                return -1
            else:
                tally.findings.append(message)
    except EOFError:
        child.join(5)
        how = f"the process hung for {3 * LONGEST} s" if time.monotonic() - asked_at > 3 * LONGEST else "died"
        case = target.make(random_for(seed, target, number))
        tally.findings.append(Finding(number, f"Crash: {how} (exit code {child.exitcode})", "", case))
        tally.counts["failure"] += 1
        return number + 1
    finally:
        child.join(5)
        ours.close()


def _child(target: Target, seed: int, start: int, deadline: float, most: int | None, pipe: Any) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    signal.signal(signal.SIGALRM, _too_long)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # some learners print while they train
    counts: Counter[str] = Counter()
    known: set[str] = set()
    number = start
    while (time.monotonic() < deadline or not counts) and (most is None or number < start + most):
        pipe.send(number)
        case = target.make(random_for(seed, target, number))
        outcome, finding = tried(target, number, case, known)
        counts[outcome] += 1
        if finding is not None:
            pipe.send(finding)
        if len(known) >= MOST_KINDS:
            break
        number += 1
    pipe.send(counts)


def tried(target: Target, number: int, case: Any, known: set[str]) -> tuple[str, Finding | None]:
    """Return the outcome of an input, and a finding if it fails in a way that is not `known` yet."""
    try:
        with time_limit():
            return target.outcome(case), None
    except Exception as error:
        failure = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        where = place_of(error)
        if f"{type(error).__name__} {where}" in known:
            return "failure", None
        known.add(f"{type(error).__name__} {where}")
        try:
            with time_limit(3 * LONGEST):
                case = minimized(target, case, failure)
        except TookTooLongError:
            pass
        return "failure", Finding(number, failure, where, case)


def place_of(error: BaseException) -> str:
    """Return the innermost line of hedgerow's code in a traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "hedgerow" in Path(frame.filename).parts] or frames
    return f"{Path(own[-1].filename).name}:{own[-1].lineno} {own[-1].name}" if own else ""


@contextmanager
def time_limit(seconds: float = LONGEST) -> Iterator[None]:
    """Raise an error in code that takes longer than this."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _too_long(_: int, __: FrameType | None) -> NoReturn:
    raise TookTooLongError("an input took too long")
