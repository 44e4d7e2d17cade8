"""What the repository contains, and what an installed copy offers."""

import re
import shutil
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest

from hedgerow.learn.registry import learners

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "hedgerow"
BINARY_FOLDERS = ("tests/corpus/",)  # hostile inputs that were found and mended
TEXT_LIMIT = 500_000


def tracked_files() -> list[str]:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("needs a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    return [name for name in listed.stdout.decode().split("\0") if (ROOT / name).is_file()]


def test_no_binary_file_or_archive_is_tracked() -> None:
    for name in tracked_files():
        if name.startswith(BINARY_FOLDERS):
            continue
        content = (ROOT / name).read_bytes()
        assert b"\0" not in content, f"{name} is a binary file"
        assert not name.endswith((".whl", ".tar", ".gz", ".zip", ".jar", ".so", ".hedge")), f"{name} is an archive"
        assert len(content) < TEXT_LIMIT, f"{name} is too large for a source file"


def test_mypy_sees_the_types_of_an_installed_copy(tmp_path) -> None:
    """The package is copied into the site-packages of an empty environment and used by a typed program."""
    pytest.importorskip("mypy")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(tmp_path / "venv")}))
    shutil.copytree(PACKAGE, site / "hedgerow", ignore=shutil.ignore_patterns("__pycache__"))
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            """
            import hedgerow

            def count_rows(path: str) -> str:
                return hedgerow.read(path).n_rows  # a whole number: the first mistake

            hedgerow.C45(min_leaf=5, prune="none").fit([[1.0], [2.0]], ["a", "b"]).predict([[1.0]])
            hedgerow.C45(min_leaves=5)  # no parameter: the second
            hedgerow.C45(min_leaf="many")  # no number: the third
            hedgerow.C46  # no learner: the fourth
            """
        )
        + "".join(f"hedgerow.{info.learner.__name__}()\n" for info in learners().values())
    )
    environment = ["--python-executable", tmp_path / "venv" / "bin" / "python", "--cache-dir", tmp_path / "cache"]
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *environment, program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert "Incompatible return value type" in checked.stdout
    assert "missing library stubs or py.typed" not in checked.stdout
    assert 'Unexpected keyword argument "min_leaves"' in checked.stdout
    assert 'Module has no attribute "C46"' in checked.stdout
    assert 'Argument "min_leaf" to "C45" has incompatible type' in checked.stdout
    assert checked.stdout.count("error:") == 4, checked.stdout


def test_scripts_name_tests_that_exist() -> None:
    """A path that was moved away would end a script, or leave out what it names in silence."""
    for script in ("Makefile", "tools/sanitize.sh", ".ci/run"):
        text = (ROOT / script).read_text()
        for path in re.findall(r"\btests/[\w/.{},-]+", text):
            prefix, names, suffix = re.fullmatch(r"([^{]*)(?:\{(.*)\}(.*))?", path).groups()
            for name in (names or "").split(","):
                assert (ROOT / f"{prefix}{name}{suffix or ''}").exists(), f"{script} names {prefix}{name}{suffix or ''}"
