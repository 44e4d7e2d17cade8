"""Graphviz source of trees: complete, and safe whatever the names are."""

import re
import shutil
import subprocess

import pytest
from hypothesis import given, settings

import hedgerow
from hedgerow.errors import UsageError
from hedgerow.export.dot import dot, quote_lines
from hedgerow.models.trees.tree import Tree
from tests.models.trees.trees import PLAY, full_tree, number_trees, play_tree, trees
from tests.report.trees.test_tree_svg import odd_tree

STRING = r'"(?:[^"\\]|\\.)*"'


def bare(source):
    """Return the source with its strings left out; what remains must be of a few words only."""
    return re.sub(STRING, '""', source)


def check(model):
    source = dot(model)
    assert source == dot(model)
    n = len(model.nodes)
    rest = bare(source)
    assert len(re.findall(r"^  \d+ \[", rest, re.MULTILINE)) == n
    assert len(re.findall(r"^  \d+ -> \d+ \[", rest, re.MULTILINE)) == n - 1
    assert rest.count('"') % 2 == 0
    assert re.fullmatch(r'[\w\s{}\[\]=,;.">-]*', rest)
    source.encode()
    return source


def test_nodes_edges_counts_and_missing_values():
    source = check(full_tree())
    assert '0 [label="Humidity\\nn = 12.33\\nNo 6.233, Yes 6.1"' in source
    assert '0 -> 2 [label="> 75\\nor missing", labeltooltip="Humidity > 75 or missing"' in source
    assert '[label="No\\n(3.33333/1.1)\\nNo 2.233, Yes 1.1"' in source
    assert "Costs: No predicted as Yes 5, Yes predicted as No 1\\l" in source
    assert "follows all branches" in check(play_tree())


@settings(max_examples=50, deadline=None)
@given(trees())
def test_any_tree_is_well_formed(tree):
    check(tree)


@settings(max_examples=50, deadline=None)
@given(number_trees())
def test_any_regression_tree_is_well_formed(tree):
    check(tree)


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ('a"b', r'"a\"b"'),
        ("a\\", r'"a\\"'),
        (r"\N", r'"\\N"'),
        ("&lt;", '"&amp;lt;"'),
        ("<b>", '"<b>"'),
        ("a\nb\x00", '"a\ufffdb\ufffd"'),
        ("語é", '"語é"'),
    ],
)
def test_strings_say_what_they_hold(said, written):
    assert quote_lines([said]) == written


def test_other_models_are_refused():
    with pytest.raises(UsageError, match="only trees can be drawn"):
        dot(hedgerow.OneR().train(hedgerow.examples.loan()))


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
@pytest.mark.parametrize("model", [play_tree(), full_tree(), odd_tree(), Tree.parse(": Yes", PLAY.schema)], ids=str)
def test_graphviz_draws_it_without_a_word(model):
    done = subprocess.run(["dot", "-Tsvg"], input=dot(model).encode(), capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert b"error" not in done.stderr.lower()
    assert done.stdout.count(b'class="node"') == len(model.nodes)
