"""The stub of the compiled module, which the type checker reads, fits the module."""

import subprocess
import sys
from pathlib import Path

import pytest

import hedgerow

STUB = Path(hedgerow.__file__).with_name("_kernels.pyi")


def test_the_stub_is_up_to_date(tmp_path):
    pytest.importorskip("nanobind.stubgen", reason="the stub is made by nanobind, which is not installed")
    made = tmp_path / "_kernels.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-m", "hedgerow._kernels", "-o", str(made)]
    subprocess.run(command, check=True, capture_output=True)
    assert made.read_text() == STUB.read_text(), "run `make stub`"
