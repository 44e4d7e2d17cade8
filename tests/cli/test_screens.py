"""The screens in docs/screens.md are what `hedgerow train` prints."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.run import run

PAGE = (Path(__file__).parents[2] / "docs" / "screens.md").read_text()
QUICK = {"credit-g.arff": "uci/credit-g.arff", "housing.arff": "regression/housing.arff"}  # the others take longer


@pytest.mark.parametrize("name", QUICK)
def test_screens_in_the_docs_are_what_is_printed(name, shared_data, tmp_path, monkeypatch):
    (tmp_path / name).symlink_to(shared_data(QUICK[name]))
    monkeypatch.chdir(tmp_path)
    command, shown = re.search(rf"^```text\n\$ (hedgerow train {name}.*)\n((?:.*\n)*?)```$", PAGE, re.M).groups()
    done = run(*shlex.split(command)[1:])
    assert done.status == 0, done.err
    assert [line.rstrip() for line in done.out.split("\n")] == shown.split("\n")


def test_every_screen_is_short():
    for screen in re.findall(r"^```text\n((?:.*\n)*?)```$", PAGE, re.M):
        assert screen.count("\n") < 80
