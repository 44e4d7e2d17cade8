"""The public names: listed once, in the stub, and the only ones that docs and examples use."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import hedgerow

ROOT = Path(__file__).parents[1]
INNER_IMPORT = re.compile(r"^(?:>>> )?\s*(?:from hedgerow\.(?!checks )|import hedgerow\.).*", re.MULTILINE)


def test_every_public_name_can_be_used():
    for name in hedgerow.public_names():
        assert getattr(hedgerow, name) is not None
        assert name in dir(hedgerow)
    assert hedgerow.__all__ == list(hedgerow.public_names())


def test_every_import_of_the_stub_is_a_public_name():
    """Names are read by a pattern: no import may be written in a way that it misses."""
    stub = (ROOT / "src" / "hedgerow" / "__init__.pyi").read_text()
    imports = [line for line in stub.split("\n") if line.lstrip().startswith(("from ", "import "))]
    assert len(imports) == len(hedgerow.public_names())
    assert "import (" not in stub


def test_other_names_are_no_attributes():
    with pytest.raises(AttributeError, match="no attribute 'C46'"):
        _ = hedgerow.C46  # type: ignore[attr-defined]


def test_the_package_is_imported_without_its_modules():
    script = "import sys, hedgerow; print(*(name for name in sys.modules if name.startswith(('hedgerow.', 'numpy'))))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("pattern", ["README.md", "docs/**/*.md", "examples/*.py"])
def test_docs_and_examples_use_public_names_only(pattern):
    found = {path.name: INNER_IMPORT.findall(path.read_text("utf-8")) for path in ROOT.glob(pattern)}
    assert found
    assert {name: lines for name, lines in found.items() if lines} == {}
