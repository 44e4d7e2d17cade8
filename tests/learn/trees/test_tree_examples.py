"""The worked examples of decision trees, by the plain growers that show their work."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import hedgerow
from hedgerow import Table
from hedgerow.learn.trees.by_hand import TreeWork, collapse, grow, prune_errors, thresholds_of_table
from hedgerow.learn.trees.by_hand.target import entropy, gini
from hedgerow.learn.trees.options import C45, ID3, TreeOptions
from hedgerow.models.trees.tree import Tree
from tests.textbook import (
    buys_computer,
    contact_lenses,
    loan_a,
    loan_b,
    restaurant,
    weather,
    weather_numeric,
    weather_with_id,
)

BINARY = TreeOptions(
    "entropy", min_leaf=1, mdl=False, branching="binary", stop_rows=1, missing="direction", average_guard=False
)


def shown(table, options=ID3):
    """Return the work of growing a table's tree."""
    work = TreeWork(table.schema)
    grow(table, options, work)
    return work


def gains(work, path=""):
    node = next(n for n in work.nodes if " and ".join(map(str, n.path)) == path)
    return {work.schema.columns[offer.column].name: round(offer.gain, 6) for offer in node.candidates}


def lines(tree):
    return str(tree).split("\n\n")[0].split("\n")


def rows_where(table, column, level):
    codes = table.codes(table.schema.index(column))
    return table.take(codes == table.schema[column].levels.index(level))


def test_g02_g03_entropies():
    """G02, G03."""
    counts = [[5, 5], [2, 8], [2, 3], [4, 0], [9, 5], [3, 4], [6, 1], [6, 2], [2, 4]]
    bits = [1, 0.721928, 0.970951, 0, 0.940286, 0.985228, 0.591673, 0.811278, 0.918296]
    assert entropy(np.array(counts, dtype=float)) == pytest.approx(bits, abs=5e-7)
    assert str(entropy(np.array([1.0, 0.0]))) == "0.0"


def test_g04_multistage_property():
    """G04."""
    whole = entropy(np.array([2.0, 3.0, 4.0]))
    assert whole == pytest.approx(1.530493, abs=5e-7)
    assert whole == pytest.approx(entropy(np.array([2.0, 7.0])) + 7 / 9 * entropy(np.array([3.0, 4.0])))


def test_g05_gini_index():
    """G05."""
    assert gini(np.array([[9.0, 5.0], [1.0, 1.0], [4.0, 0.0]])) == pytest.approx([0.459184, 0.5, 0], abs=5e-7)
    assert gini(np.array([9.0, 5.0])) == pytest.approx(float(1 - Fraction(81 + 25, 196)))


def test_g06_loan_gains():
    """G06. X1: the printed formula of entropy(D) lacks its minus signs, its value is right."""
    work = shown(loan_a())
    assert work.nodes[0].impurity == pytest.approx(0.970951, abs=5e-7)
    figures = {
        "Age": (0.887943, 0.083007, 1.584963, 0.052372),
        "Has_Job": (0.647300, 0.323650, 0.918296, 0.352447),
        "Own_House": (0.550978, 0.419973, 0.970951, 0.432538),
        "Credit_Rating": (0.607961, 0.362990, 1.565596, 0.231854),
    }
    for column, expected in figures.items():
        offer = work.candidate_at(column)
        assert (offer.after, offer.gain, offer.split_info, offer.ratio) == pytest.approx(expected, abs=5e-7)
    assert [s.tolist() for s in work.candidate_at("Age").summaries] == [[3, 2], [2, 3], [1, 4]]  # No, Yes
    rating = dict(
        zip(loan_a().schema["Credit_Rating"].levels, work.candidate_at("Credit_Rating").summaries, strict=True)
    )
    assert {level: s.tolist() for level, s in rating.items()} == {"fair": [4, 1], "good": [2, 4], "excellent": [0, 4]}


def test_g07_loan_b_has_another_root():
    """G07. X2: the printed 0.608 and 0.363 of Credit_Rating belong to the other table."""
    work = shown(loan_b())
    rating = work.candidate_at("Credit_Rating")
    assert (rating.after, rating.gain, rating.ratio) == pytest.approx((0.500652, 0.470299, 0.300396), abs=5e-7)
    assert gains(work) == {
        "Age": 0.083007, "Has_Job": 0.323650, "Own_House": 0.419973, "Credit_Rating": 0.470299,
    }  # fmt: skip
    assert max(work.nodes[0].candidates, key=lambda offer: offer.ratio) is work.candidate_at("Own_House")


def test_g08_loan_tree():
    """G08."""
    work = shown(loan_a())
    assert work.candidate_at("Has_Job", "Own_House = false").gain == pytest.approx(0.918296, abs=5e-7)
    assert lines(grow(loan_a(), ID3)) == [
        "Own_House = false",
        "|   Has_Job = false: No (6)",
        "|   Has_Job = true: Yes (3)",
        "Own_House = true: Yes (6)",
    ]


def test_g09_tie_goes_to_the_first_column():
    """G09."""
    work = shown(loan_b())
    inside = gains(work, "Credit_Rating = good")
    assert inside["Age"] == inside["Has_Job"] == 0.316689
    node = next(n for n in work.nodes if [str(c) for c in n.path] == ["Credit_Rating = good"])
    assert node.reason == "the largest gain, the first of 2 ties"
    assert lines(grow(loan_b(), ID3)) == [
        "Credit_Rating = fair: No (4)",
        "Credit_Rating = good",
        "|   Age = young: Yes (2)",
        "|   Age = middle",
        "|   |   Has_Job = false: No (1)",
        "|   |   Has_Job = true: Yes (1)",
        "|   Age = old: Yes (2)",
        "Credit_Rating = excellent",
        "|   Age = young: No (1)",
        "|   Age = middle: Yes (2)",
        "|   Age = old: Yes (2)",
    ]


LESS_COMPACT = """
Age = young
|   Has_Job = false: No (3)
|   Has_Job = true: Yes (2)
Age = middle
|   Own_House = false: No (2)
|   Own_House = true: Yes (3)
Age = old
|   Credit_Rating = fair: No (1)
|   Credit_Rating = good: Yes (2)
|   Credit_Rating = excellent: Yes (2)
"""


def test_g10_tree_rooted_at_age():
    """G10."""
    best = {"young": ("Has_Job", 0.970951), "middle": ("Own_House", 0.970951), "old": ("Credit_Rating", 0.721928)}
    for age, (column, gain) in best.items():
        table = rows_where(loan_a(), "Age", age)
        assert shown(table).candidate_at(column).gain == pytest.approx(gain, abs=5e-7)
        grown = ["|   " + line for line in lines(grow(table, ID3))]
        assert "\n".join([f"Age = {age}", *grown]) in LESS_COMPACT
    tree = Tree.parse(LESS_COMPACT, loan_a().schema)
    assert list(tree.predict(loan_a())) == [loan_a().schema["Class"].levels[code] for code in loan_a().target]


@pytest.mark.parametrize("tree", [grow(loan_a(), ID3), Tree.parse(LESS_COMPACT, loan_a().schema)], ids=["G08", "G10"])
def test_g11_loan_applicant_is_refused(tree):
    """G11."""
    one = {"ID": ["16"], "Age": ["young"], "Has_Job": ["false"], "Own_House": ["false"], "Credit_Rating": ["good"]}
    assert list(tree.predict(Table.of(one))) == ["No"]
    assert list(grow(loan_b(), ID3).predict(Table.of(one))) == ["Yes"]


def test_g12_weather_gains():
    """G12. X8: the gain ratio of Outlook is 0.156428, once printed as 0.157. X21: the gains are .247 and .152."""
    work = shown(weather())
    figures = {
        "Outlook": (0.693536, 0.246750, 1.577406, 0.156428),
        "Temp": (0.911063, 0.029223, 1.556657, 0.018773),
        "Humidity": (0.788450, 0.151836, 1.000000, 0.151836),
        "Windy": (0.892159, 0.048127, 0.985228, 0.048849),
    }
    for column, expected in figures.items():
        offer = work.candidate_at(column)
        assert (offer.after, offer.gain, offer.split_info, offer.ratio) == pytest.approx(expected, abs=5e-7)


def test_g13_gains_inside_branches():
    """G13."""
    work = shown(weather())
    sunny, rainy = gains(work, "Outlook = Sunny"), gains(work, "Outlook = Rainy")
    assert (sunny["Temp"], sunny["Humidity"], sunny["Windy"]) == (0.570951, 0.970951, 0.019973)
    assert (rainy["Temp"], rainy["Humidity"], rainy["Windy"]) == (0.019973, 0.019973, 0.970951)


@pytest.mark.parametrize("options", [ID3, C45, replace(C45, criterion="gain")])
def test_g14_weather_tree(options):
    """G14."""
    assert str(grow(weather(), options)) == (
        "Outlook = Sunny\n"
        "|   Humidity = High: No (3)\n"
        "|   Humidity = Normal: Yes (2)\n"
        "Outlook = Overcast: Yes (4)\n"
        "Outlook = Rainy\n"
        "|   Windy = False: Yes (3)\n"
        "|   Windy = True: No (2)\n"
        "\n"
        "Leaves: 5, size of the tree: 8"
    )


def test_g15_id_code():
    """G15. X7: the printed intrinsic information of the ID code is the (zero) entropy after the split."""
    work = shown(weather_with_id())
    offer = work.candidate_at("ID")
    expected = (0, 0.940286, 3.807355, 0.246966)
    assert (offer.after, offer.gain, offer.split_info, offer.ratio) == pytest.approx(expected, abs=5e-7)
    assert offer.ratio > work.candidate_at("Outlook").ratio
    assert lines(grow(weather_with_id(), ID3))[0] == "ID = A: No (1)"  # ID3 falls for it


def test_g16_guards_against_the_id_code():
    """G16."""
    without = shown(weather(), C45).nodes[0]
    assert without.average == pytest.approx(0.118984, abs=5e-7)
    assert [weather().schema.names[without.candidates[i].column] for i in without.eligible] == ["Outlook", "Humidity"]
    work = shown(weather_with_id(), replace(C45, min_leaf=1))
    every = [offer.gain for offer in work.nodes[0].candidates]
    assert np.mean(every) == pytest.approx(0.283244, abs=5e-7)
    assert [gain >= np.mean(every) for gain in every] == [True, False, False, False, False]
    assert work.nodes[0].average == pytest.approx(0.118984, abs=5e-7)  # a level for every third row does not count
    root = shown(weather_with_id(), C45)
    assert root.candidate_at("ID").refusal == "fewer than two branches have a weight of 2"
    assert lines(grow(weather_with_id(), C45)) == lines(grow(weather(), C45))


def test_a_lone_identifier_is_not_split_on():
    """G16: the guard also acts where nothing but the identifier can be split on."""
    table = Table.of({"id": [*"aabbccdd"], "x": ["k"] * 8, "y": [*"nnnnpppp"]}, "y")
    work = shown(table, C45)
    assert lines(grow(table, C45)) == [": n (8/4)"]
    assert work.nodes[0].reason == "only columns with very many levels can be split on"


def test_columns_of_very_many_levels_count_where_there_are_no_others():
    """As in J48: all columns have 3 levels in 8 rows, and one tells the class."""
    levels = {"code": ["p", "q", "r"], "other": ["s", "t", "u"]}
    table = Table.of({"code": [*"ppppqqqq"], "other": [*"stststst"], "y": [*"nnnnpppp"]}, "y", levels)
    expected = ["code = p: n (4)", "code = q: p (4)", "code = r: n (0)"]
    assert lines(grow(table, C45)) == expected
    assert lines(hedgerow.C45().train(table)) == expected


def test_g17_buys_computer():
    """G17. X19: printed rules 4 and 5 are wrong; all gains equal those of the weather."""
    table = buys_computer()
    assert list(gains(shown(table)).values()) == [0.246750, 0.029223, 0.151836, 0.048127]
    assert lines(grow(table, ID3)) == [
        'age = "<=30"',
        "|   student = no: no (3)",
        "|   student = yes: yes (2)",
        "age = 31...40: yes (4)",
        'age = ">40"',
        "|   credit_rating = fair: yes (3)",
        "|   credit_rating = excellent: no (2)",
    ]


def test_g18_young_student_buys():
    """G18."""
    one = {"age": ["<=30"], "income": [None], "student": ["yes"], "credit_rating": ["excellent"]}
    assert list(grow(buys_computer(), ID3).predict(Table.of(one))) == ["yes"]


def test_g19_restaurant_gains():
    """G19. X24: the gain of Pat is 0.541, printed as .0541."""
    work = shown(restaurant())
    assert work.nodes[0].impurity == 1
    assert gains(work) == {
        "Alt": 0, "Bar": 0, "Fri": 0.020721, "Hun": 0.195710, "Pat": 0.540852,
        "Price": 0.195710, "Rain": 0, "Res": 0.020721, "Type": 0, "Est": 0.207519,
    }  # fmt: skip
    branches = dict(zip(restaurant().schema["Pat"].levels, work.candidate_at("Pat").summaries, strict=True))
    assert {level: s.sum() / 12 for level, s in branches.items()} == {"None": 1 / 6, "Some": 1 / 3, "Full": 1 / 2}
    assert entropy(branches["Full"]) == pytest.approx(0.918296, abs=5e-7)


def test_g20_restaurant_tree():
    """G20: five columns tie inside Full; the empty French branch takes the first class of its parent's tie."""
    work = shown(restaurant())
    full = gains(work, "Pat = Full")
    assert {name for name, gain in full.items() if gain == 0.251629} == {"Hun", "Price", "Res", "Type", "Est"}
    hungry = gains(work, "Pat = Full and Hun = T")
    assert (hungry["Type"], hungry["Fri"], hungry["Price"], hungry["Res"]) == (0.5, 0.311278, 0.311278, 0.311278)
    thai = gains(work, "Pat = Full and Hun = T and Type = Thai")
    assert {name for name, gain in thai.items() if gain == 1} == {"Fri", "Est"}
    assert lines(grow(restaurant(), ID3)) == [
        "Pat = Some: T (4)",
        "Pat = Full",
        "|   Hun = T",
        "|   |   Type = French: T (0)",
        "|   |   Type = Thai",
        "|   |   |   Fri = F: F (1)",
        "|   |   |   Fri = T: T (1)",
        "|   |   Type = Burger: T (1)",
        "|   |   Type = Italian: F (1)",
        "|   Hun = F: F (2)",
        "Pat = None: F (2)",
    ]


def test_g21_gini_multiway():
    """G21."""
    work = shown(weather(), replace(ID3, criterion="gini"))
    figures = {
        "Outlook": (0.342857, 0.116327),
        "Temp": (0.440476, 0.018707),
        "Humidity": (0.367347, 0.091837),
        "Windy": (0.428571, 0.030612),
    }
    for column, expected in figures.items():
        assert (work.candidate_at(column).after, work.candidate_at(column).gain) == pytest.approx(expected, abs=5e-7)


SUBSETS = [
    ("Outlook", "Overcast", 0.226000, 0.102041),
    ("Outlook", "Sunny", 0.102244, 0.065533),
    ("Outlook", "Rainy", 0.003185, 0.002041),
    ("Temp", "Hot", 0.025078, 0.016327),
    ("Temp", "Mild", 0.001340, 0.000850),
    ("Temp", "Cool", 0.014956, 0.009184),
    ("Humidity", "High", 0.151836, 0.091837),
    ("Windy", "False", 0.048127, 0.030612),
]


@pytest.mark.parametrize(("column", "level", "bits", "index"), SUBSETS)
def test_g22_subset_scores(column, level, bits, index):
    """G22: the set and its complement score the same, so one level against the rest says all."""
    names = weather().schema[column].levels
    either = ["in" if names[code] == level else "out" for code in weather().codes(weather().schema.index(column))]
    table = Table.of({"set": either, "Play": [weather().schema["Play"].levels[c] for c in weather().target]}, "Play")
    for criterion, expected in (("entropy", bits), ("gini", index)):
        work = shown(table, replace(BINARY, criterion=criterion, max_depth=1))
        assert work.candidate_at("set").gain == pytest.approx(expected, abs=5e-7)


def test_g22_best_subsets():
    """G22: of all sets of a column the best is offered, never the empty or the full one."""
    work = shown(weather(), BINARY)
    labels = {offer.column: str(offer.split.conditions(work.schema)[0]) for offer in work.nodes[0].candidates}
    assert list(labels.values()) == ["Outlook = Overcast", "Temp = Hot", "Humidity = High", "Windy = False"]
    assert work.nodes[0].candidates[0].cuts == 2


def test_g23_numeric_thresholds():
    """G23: midpoints of different values only, so Humidity is cut at 82.5, not at 80."""
    for criterion, temperature, humidity in (("entropy", 0.113401, 0.151836), ("gini", 0.063579, 0.091837)):
        work = shown(weather_numeric(), replace(BINARY, criterion=criterion))
        offers = [work.candidate_at("Temperature"), work.candidate_at("Humidity")]
        assert [offer.split.test.threshold for offer in offers] == [84.0, 82.5]
        assert [offer.gain for offer in offers] == pytest.approx([temperature, humidity], abs=5e-7)


@pytest.mark.parametrize(
    ("criterion", "decreases"), [("entropy", (0.226, 0.278072, 0.721928)), ("gini", (0.102041, 0.18, 0.32))]
)
def test_g24_full_binary_tree(criterion, decreases):
    """G24: eta 1 and pi 1, that is every node of more than one row and one class is split."""
    options = replace(BINARY, criterion=criterion, stop_rows=1, stop_share=1.0)
    work = TreeWork(weather_numeric().schema)
    assert str(grow(weather_numeric(), options, work)) == (
        "Outlook = Overcast: Yes (4)\n"
        "Outlook != Overcast or missing\n"
        "|   Humidity <= 82.5 or missing\n"
        "|   |   Temperature <= 66.5: No (1)\n"
        "|   |   Temperature > 66.5 or missing: Yes (4)\n"
        "|   Humidity > 82.5\n"
        "|   |   Temperature <= 70.5: Yes (1)\n"
        "|   |   Temperature > 70.5 or missing: No (4)\n"
        "\n"
        "Leaves: 5, size of the tree: 9"
    )
    made = [node.candidates[node.best].gain for node in work.nodes if node.best is not None]
    assert made == pytest.approx([*decreases, decreases[-1]], abs=5e-7)
    last = next(node for node in work.nodes if node.path and str(node.path[-1]) == "Humidity > 82.5")
    assert last.reason == "the largest decrease, the first of 2 ties"  # Humidity <= 95.5 ties


@pytest.mark.parametrize(
    ("changes", "leaves"), [({"stop_rows": 5}, 3), ({"stop_share": 0.8}, 3), ({"stop_rows": 14}, 1)]
)
def test_g24_eta_and_pi_stop_early(changes, leaves):
    """G24: eta and pi are the bounds of 001's algorithm 3."""
    assert grow(weather_numeric(), replace(BINARY, **changes)).size == leaves


def test_g25_rules_of_the_loan_tree():
    """G25. X3: printed as 5/15 (5/5) and 4/15 (4/4), right are 3/15 (3/3) and 6/15 (6/6)."""
    for options in (ID3, C45):
        tree = grow(loan_a(), options)
        assert tree.weights[tree.nodes.leaves].tolist() == [[0, 6], [6, 0], [0, 3]]


def test_contact_lenses():
    """ID3 fits all rows; C4.5 does not split less than four, and collapses what does not help."""
    assert lines(grow(contact_lenses(), ID3)) == [
        "Tear = Reduced: None (12)",
        "Tear = Normal",
        "|   Astigmatism = No",
        "|   |   Age = Young: Soft (2)",
        "|   |   Age = Pre-presbyopic: Soft (2)",
        "|   |   Age = Presbyopic",
        "|   |   |   Spectacle = Myope: None (1)",
        "|   |   |   Spectacle = Hypermetrope: Soft (1)",
        "|   Astigmatism = Yes",
        "|   |   Spectacle = Myope: Hard (3)",
        "|   |   Spectacle = Hypermetrope",
        "|   |   |   Age = Young: Hard (1)",
        "|   |   |   Age = Pre-presbyopic: None (1)",
        "|   |   |   Age = Presbyopic: None (1)",
    ]
    collapsed = [
        "Tear = Reduced: None (12)",
        "Tear = Normal",
        "|   Astigmatism = No: Soft (6/1: None 1, Soft 5)",
        "|   Astigmatism = Yes",
        "|   |   Spectacle = Myope: Hard (3)",
        "|   |   Spectacle = Hypermetrope: None (3/1: None 2, Hard 1)",
    ]
    tree = collapse(grow(contact_lenses(), C45))
    assert lines(tree) == lines(prune_errors(tree, contact_lenses(), 0.25)) == collapsed


def test_numeric_weather_is_j48s_tree():
    table = weather_numeric()
    tree = thresholds_of_table(prune_errors(collapse(grow(table, C45)), table, 0.25), table)
    assert lines(tree) == [
        "Outlook = Sunny",
        "|   Humidity <= 75: Yes (2)",
        "|   Humidity > 75: No (3)",
        "Outlook = Overcast: Yes (4)",
        "Outlook = Rainy",
        "|   Windy = False: Yes (3)",
        "|   Windy = True: No (2)",
    ]
