"""Item sets and rules as tables in files."""

import csv

import pytest

from hedgerow import association_rules, mine, write_associations
from hedgerow.errors import DataError, UsageError

BASKETS = [["salt, sea", 'a "b"'], ["salt, sea", "tea"], ["tea", 'a "b"', "salt, sea"]]


def rows(path):
    with open(path, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def test_sets_stand_in_csv_as_they_print(tmp_path):
    sets = mine(BASKETS, min_count=2)
    write_associations(sets, tmp_path / "sets.csv")
    found = rows(tmp_path / "sets.csv")
    assert [row["items"] for row in found] == [line.split("  # ")[0] for line in str(sets).splitlines()]
    assert '{"salt, sea", tea}' in [row["items"] for row in found]
    assert [int(row["count"]) for row in found] == sets.counts.tolist()


def test_sets_that_are_written_piece_by_piece_are_the_same(tmp_path):
    write_associations(mine(BASKETS, min_count=1), tmp_path / "at_once.csv")
    mine(BASKETS, min_count=1, to=tmp_path / "in_pieces.csv")
    found = [
        sorted(map(tuple, (row.items() for row in rows(tmp_path / name)))) for name in ("at_once.csv", "in_pieces.csv")
    ]
    assert found[0] == found[1]


def test_sides_of_rules_stand_in_csv_as_they_print(tmp_path):
    rules = association_rules(mine(BASKETS, min_count=1), 0.1, min_antecedent=0)
    write_associations(rules, tmp_path / "rules.csv")
    found = [f"{row['antecedent']} => {row['consequent']}" for row in rows(tmp_path / "rules.csv")]
    assert found == [rule.text for rule in rules]
    assert any(rule.startswith("{} => ") for rule in found)


def test_long_tables_are_written_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("hedgerow.data.formats.association_files.BATCH", 2)
    rules = association_rules(mine(BASKETS, min_count=1), 0.1)
    write_associations(rules, tmp_path / "rules.csv")
    assert [row["consequent"] for row in rows(tmp_path / "rules.csv")] == [r.text.split(" => ")[1] for r in rules]


@pytest.mark.parametrize("ending", ["csv", "arrow", "parquet"])
def test_no_sets_are_a_table_without_rows(tmp_path, ending):
    path = tmp_path / f"none.{ending}"
    assert mine([["a"], ["b"]], min_count=2, to=path).sets == 0
    assert path.stat().st_size > 0
    if ending == "csv":
        assert path.read_text() == "items,size,count,support\n"


@pytest.mark.parametrize("name", ["sets.docx", "sets", "sets.csv.gz"])
def test_other_endings_are_refused(tmp_path, name):
    for write in (lambda path: mine(BASKETS, to=path), lambda path: write_associations(mine(BASKETS), path)):
        with pytest.raises(UsageError, match=r"cannot be written: the name must end in one of .*\.csv, \.arrow"):
            write(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"cannot be written: No such file"):
        mine(BASKETS, to=tmp_path / "nowhere" / "sets.csv")
