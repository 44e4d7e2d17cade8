"""hedgerow cluster --learner agglomerative: the tree, printed and drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run import run


@pytest.fixture
def towns(tmp_path: Path) -> Path:
    """Return a file of towns: five, in two groups."""
    path = tmp_path / "towns.csv"
    path.write_text("name,east,north\nAldorf,0,0\nBemstadt,1,0\nCumberg,0.5,3\nDorn,8,5\nEltz,9,5\n")
    return path


def test_tree_is_printed_and_drawn(towns: Path, tmp_path: Path) -> None:
    """The print has the tree, the picture the names."""
    picture = tmp_path / "tree.svg"
    done = run(
        "cluster", str(towns), "--learner", "agglomerative", "--linkage", "complete", "--dendrogram", str(picture),
        "--leaf", "name",
    )  # fmt: skip
    assert done.status == 0, done.err
    assert "2 clusters of 5 rows by complete linkage" in done.out
    assert "row 4 [2] ╶" in done.out
    drawn = picture.read_text()
    assert all(name in drawn for name in ("Aldorf", "Bemstadt", "Cumberg", "Dorn", "Eltz"))


def test_sentences(towns: Path, tmp_path: Path) -> None:
    """A tree needs merges, names a tree, and a picture an ending."""
    picture = str(tmp_path / "tree.svg")
    done = run("cluster", str(towns), "--learner", "agglomerative", "--leaf", "name")
    assert done.status != 0
    assert "--leaf names the rows of --dendrogram" in done.err
    done = run("cluster", str(towns), "--learner", "agglomerative", "--dendrogram", picture, "--leaf", "town")
    assert done.status != 0
    assert "town" in done.err
    done = run("cluster", str(towns), "--learner", "agglomerative", "--dendrogram", "tree.txt")
    assert done.status != 0
    assert "must end in .svg" in done.err


def test_work_is_shown(towns: Path) -> None:
    """Every merge in words."""
    done = run("cluster", str(towns), "--learner", "agglomerative", "--show-work", "--n-clusters", "2")
    assert done.status == 0, done.err
    assert "1. row 1 and row 2 at height" in done.out or "row 4 and row 5 at height" in done.out
