"""--show-work of all tree learners: numbers as in a textbook, aligned, on lines that fit a terminal."""

import re
import unicodedata
from dataclasses import replace

import numpy as np
import pytest

from hedgerow import (
    C45,
    CART,
    ID3,
    CARTRegressor,
    NaiveBayes,
    OneR,
    RandomForest,
    Table,
    UsageError,
    examples,
)
from hedgerow.learn.registry import learners
from hedgerow.learn.trees.by_hand import TreeWork, collapse, grow, prune_errors
from tests.learn.trees.tree_tables import mixed_table
from tests.textbook import contact_lenses, loan_a, weather, weather_numeric

ROOT_OF_THE_WEATHER = """\
gain = entropy before - after - penalty; penalty = log2(cuts compared) / rows of the node; gain
  ratio = gain / split info; * is chosen

Node 1: all rows
14 rows: No 5, Yes 9; entropy 0.940286
   column          after   penalty       gain  split info  gain ratio
     branches (No, Yes)
*  Outlook      0.693536             0.246750    1.577406    0.156428
     Sunny: 3, 2; Overcast: 0, 4; Rainy: 2, 3
   Temperature  0.894952  0.226423  -0.181089    0.940286    0.000000
     <= 70.5: 1, 4; > 70.5: 4, 5 (best of 9 cuts; no gain after the penalty)
   Humidity     0.788450  0.200525  -0.048690    1.000000    0.000000
     <= 82.5: 1, 6; > 82.5: 4, 3 (best of 7 cuts; no gain after the penalty)
   Windy        0.892159             0.048127    0.985228    0.048849
     False: 2, 6; True: 3, 3
Average gain 0.147438; only columns that reach it may be chosen: Outlook
Outlook: the only column that may be chosen

Node 2: Outlook = Sunny
"""

END_OF_THE_WEATHER = """
Pruning by expected errors: the smaller tree is preferred if it makes at most 0.1 more errors
node             test      rows  as a leaf   subtree  largest branch  outcome
Outlook = Rainy  Windy        5   3.221972  2.110118        3.221972  kept
Outlook = Sunny  Humidity     5   3.221972  2.110118        3.221972  kept
all rows         Outlook     14   6.761120  5.391810        7.695481  kept

Thresholds: each becomes the largest value of its column that is not above it
column    middle  value
Humidity    77.5     75"""


def test_c45_on_the_numeric_weather_reads_like_a_textbook():
    """G12, G16."""
    text = str(C45().show_work(weather_numeric()))
    assert text.startswith(ROOT_OF_THE_WEATHER)
    assert text.endswith(END_OF_THE_WEATHER)
    assert "   Outlook\n     always Sunny\n" in text  # a column that was tested above has nothing to offer


def test_id3_on_the_loans_reads_like_a_textbook():
    """G06, G08."""
    assert str(ID3().show_work(loan_a())).startswith(
        "gain = entropy before - after; * is chosen\n"
        "\n"
        "Node 1: all rows\n"
        "15 rows: No 6, Yes 9; entropy 0.970951\n"
        "   column            after      gain  branches (No, Yes)\n"
        "   Age            0.887943  0.083007  young: 3, 2; middle: 2, 3; old: 1, 4\n"
        "   Has_Job        0.647300  0.323650  false: 6, 4; true: 0, 5\n"
        "*  Own_House      0.550978  0.419973  false: 6, 3; true: 0, 6\n"
        "   Credit_Rating  0.607961  0.362990  fair: 4, 1; good: 2, 4; excellent: 0, 4\n"
        "Own_House: the largest gain\n"
    )


def test_cart_shows_its_sequence_and_the_choice():
    text = str(CART().show_work(weather_numeric()))
    assert text.rsplit("\n\n", maxsplit=1)[-1].startswith(
        "Cost-complexity pruning: from its alpha on, a tree minimizes error + alpha * leaves\n      alpha  leaves  "
        "error in training  cross-validated  standard error\n   0.000000       5           0.000000         "
    )
    assert (
        "\n*  0.107143       1           0.357143         0.357143        0.128060\n1 leaf: the smallest tree" in text
    )


def test_a_price_that_was_asked_for_is_said_so():
    text = str(CART(alpha=0.08).show_work(weather_numeric()))
    assert "cross-validated" not in text
    assert text.endswith("3 leaves: the best tree for the given alpha of 0.08")


def test_numbers_have_variances_and_means():
    table = Table.of({"x": [1, 2, 3, 4, 5, 6], "c": [*"aabbcc"], "y": [1.0, 1, 2, 9, 9, 9]}, "y")
    text = str(CARTRegressor().show_work(table))
    assert "6 rows: value 5.166667, deviation 3.847799; variance 14.805556" in text
    assert "*  x       0.111111  14.694444  <= 3.5 or missing: 1.333333 of 3; > 3.5: 9 of 3 (best of 5 cuts)" in text
    assert "mean squared error in training" in text
    assert "mean absolute error in training" in str(CARTRegressor(criterion="absolute").show_work(table))


def test_numbers_of_any_size_can_be_read():
    for size, shown in ((1e47, "value 5.16667e+47, deviation 3.8478e+47"), (1e-9, "value 5.16667e-09, deviation 3.8")):
        table = Table.of({"x": [1, 2, 3, 4, 5, 6], "y": np.array([1.0, 1, 2, 9, 9, 9]) * size}, "y")
        for criterion in ("squared", "absolute"):
            text = str(CARTRegressor(criterion=criterion, rule="min").show_work(table))
            assert criterion == "absolute" or shown in text
            assert max(map(len, text.split("\n"))) <= 100


def test_missing_values_are_counted_and_shared_out():
    table = Table.of({"sky": ["sun", "sun", "sun", "rain", "rain", None], "play": [*"yyynnn"]}, "play")
    text = str(C45().show_work(table))
    assert text.startswith("gain = share of the rows whose value is known * (entropy before - after); gain ratio")
    assert "sun: 3, 0; rain: 0, 2 (missing: 1)" in text
    assert "Each row without sky is split: 0.6 to sun, 0.4 to rain" in text
    assert "3.6 rows: y 3, n 0.6" in text


def test_pruned_and_collapsed_nodes_are_told():
    work = TreeWork(contact_lenses().schema)
    prune_errors(collapse(grow(contact_lenses(), C45()._options()), work), contact_lenses(), 0.25, True, work)
    assert "Collapsing: a subtree that makes no fewer training errors than a leaf is replaced by a leaf" in str(work)
    assert "made a leaf" in str(work)
    reduced = str(C45(prune="reduced").show_work(mixed_table(1, 90)))
    assert "Pruning by errors on held-out rows" in reduced


def test_reasons_of_leaves():
    text = str(CART(prune="none", stop_rows=5).show_work(weather_numeric()))
    assert "Leaf: one class" in text
    assert "Leaf: at most 5 rows" in text
    assert "Leaf: depth 0" in str(C45(max_depth=0).show_work(weather()))
    assert "Leaf: the best gain is below 0.9" in str(C45(min_gain=0.9).show_work(weather()))
    assert "Leaf: fewer than twice 8 rows" in str(C45(min_leaf=8).show_work(weather()))


def wide():
    """Return rows with names and levels of all lengths and scripts, and many classes."""
    random = np.random.default_rng(1)
    levels = ["天気が良い日" * 4, "a level that goes on and on for quite a while, and then some more", "x", "ü" * 150]
    columns = {
        "天気": [levels[v] for v in random.integers(0, 4, 120)],
        "a name with blanks that is much longer than a line of the table could ever be, as some are": [
            levels[v][:90] for v in random.integers(0, 4, 120)
        ],
        "number": random.normal(size=120).round(2).tolist(),
        "many": [f"level {v}" for v in random.integers(0, 30, 120)],
        "y": [f"class {v}" for v in random.integers(0, 7, 120)],
    }
    return Table.of(columns, "y")


@pytest.mark.parametrize("learner", [ID3(), C45(), C45(subset=True), CART(), CART(missing_route="surrogate")], ids=repr)
def test_no_line_is_wider_than_a_terminal(learner):
    for line in str(learner.show_work(wide())).split("\n"):
        cells = sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in line)
        assert cells <= 100, line


def test_many_levels_and_classes_are_cut_and_named():
    text = str(ID3(max_depth=1).show_work(wide()))
    assert re.search(r"\b1\d more\b", text)
    assert '"class 0" ' in text
    assert "branches (" not in text  # more than four classes are named where they stand


def test_every_learner_shows_its_work_or_says_that_it_has_none():
    shown = {name for name, info in learners().items() if info.learner.shows_work}
    assert {"id3", "c45", "cart", "cart_regressor"} <= shown
    with pytest.raises(UsageError, match="random_forest has no intermediate steps to show"):
        RandomForest().show_work(weather())


ONE_R_ON_THE_LOANS = """\
The rules of each column: every value predicts its most frequent class; * makes the fewest errors
   column         rule                                      errors  total errors
   Age            Age = young -> Class = No                    2/5          5/15
                  Age = middle -> Class = Yes                  2/5
                  Age = old -> Class = Yes                     1/5
   Has_Job        Has_Job = false -> Class = No               4/10          4/15
                  Has_Job = true -> Class = Yes                0/5
*  Own_House      Own_House = false -> Class = No              3/9          3/15
                  Own_House = true -> Class = Yes              0/6
   Credit_Rating  Credit_Rating = fair -> Class = No           1/5          3/15
                  Credit_Rating = good -> Class = Yes          2/6
                  Credit_Rating = excellent -> Class = Yes     0/4"""

BAYES_ON_THE_LOANS = """\
Row 1: P(class) times P(value given class), or the density of a number, of every column
                                        No         Yes
P(class)                          0.400000    0.600000
P(Age = young | class)            0.444444    0.250000
P(Has_Job = false | class)        0.875000    0.454545
P(Own_House = false | class)      0.875000    0.363636
P(Credit_Rating = fair | class)   0.555556    0.166667
product                          0.0756173  0.00413223
probability                       0.948185    0.051815
The probability is the product, scaled to a sum of 1: No"""


def test_one_r_shows_the_errors_of_all_columns():
    assert str(OneR().show_work(examples.loan())) == ONE_R_ON_THE_LOANS
    text = str(
        OneR(min_bucket=3).show_work(Table.of({"x": [1, 2, 3, 4, 5, 6], "c": ["a", "a", "a", "b", "b", "b"]}, "c"))
    )
    assert "*  x       x <= 3.5 -> c = a     0/3           0/6" in text
    constant = str(OneR().show_work(Table.of({"x": [1, 1], "c": ["a", "b"]}, "c")))
    assert "a single interval" in constant
    assert constant.endswith("No column is informative: the most frequent class is predicted.")


def test_naive_bayes_shows_the_product_for_a_row():
    assert str(NaiveBayes().show_work(examples.loan())) == BAYES_ON_THE_LOANS
    shown = NaiveBayes().show_work(examples.loan())
    assert np.allclose(shown.model.joint(shown.row)[0], [0.0756173, 0.00413223], rtol=1e-5)


def test_work_is_shown_of_any_table_that_can_be_learned_from():
    assert "ID" not in str(ID3().show_work(examples.loan()))  # made ready first
    with pytest.raises(UsageError, match="max_depth=-1"):
        C45(max_depth=-1).show_work(weather())


def test_trace_prints_the_work_and_learns_the_same(capsys):
    model = C45(trace=True).train(weather_numeric())
    assert capsys.readouterr().out == f"{C45().show_work(weather_numeric())}\n\n"
    assert model == replace(C45().train(weather_numeric()), about=model.about)
