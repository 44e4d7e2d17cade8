"""What the tests of the command line share."""

import pytest

import hedgerow


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder of its own, in which commands run, with the loan table."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loan.csv").write_text(hedgerow.examples.loan_csv())
    return tmp_path
