"""Running the command line inside the test's own process."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import pytest

from hedgerow.cli import main


@dataclass
class Ran:
    status: int
    out: str
    err: str


def run(*arguments, stdin=None):
    """Run `hedgerow ARGUMENTS` and return its status and what it printed."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        if stdin is not None:
            patch.setattr(
                sys,
                "stdin",
                io.TextIOWrapper(
                    io.BufferedReader(io.BytesIO(stdin if isinstance(stdin, bytes) else stdin.encode())), "utf-8"
                ),
            )
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in arguments])
    out.flush()
    return Ran(int(ended.value.code or 0), out.buffer.getvalue().decode(), err.getvalue())
