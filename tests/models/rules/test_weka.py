"""Lists that Weka 3.9's JRip and PART printed load as models; the confusion matrices are Weka's own."""

import numpy as np
import pytest

import hedgerow
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table
from hedgerow.errors import ModelError
from hedgerow.models.files.rule_file import load_rules
from hedgerow.models.rules.weka import UNKNOWN_ERRORS

JRIP_VOTE = """

=== Classifier model (full training set) ===

JRIP rules:
===========

(physician-fee-freeze = y) and (synfuels-corporation-cutback = n) => Class=republican (138.0/3.0)
(physician-fee-freeze = y) and (export-administration-act-south-africa = y) => Class=republican (19.0/3.0)
(physician-fee-freeze = y) and (adoption-of-the-budget-resolution = n) => Class=republican (16.0/4.0)
 => Class=democrat (262.0/5.0)

Number of Rules : 4


Time taken to build model: 0.91 seconds

=== Confusion Matrix ===

   a   b   <-- classified as
 257  10 |   a = democrat
   5 163 |   b = republican
"""

PART_IRIS = """=== Classifier model (full training set) ===

PART decision list
------------------

petalwidth <= 0.6: Iris-setosa (50.0)

petalwidth <= 1.7 AND
petallength <= 4.9: Iris-versicolor (48.0/1.0)

: Iris-virginica (52.0/3.0)

Number of Rules  : 	3


Time taken to build model: 1.28 seconds
"""

JRIP_IRIS = """JRIP rules:
===========

(petallength >= 3.3) and (petalwidth <= 1.6) and (petallength <= 4.9) => class=Iris-versicolor (46.0/0.0)
(petallength <= 1.9) => class=Iris-setosa (50.0/0.0)
 => class=Iris-virginica (54.0/4.0)

Number of Rules : 3
"""

JRIP_LABOR = """JRIP rules:
===========

(wage-increase-first-year <= 2.5) => class=bad (15.0/2.0)
(statutory-holidays <= 10) and (wage-increase-first-year <= 4) => class=bad (5.0/0.0)
(longterm-disability-assistance = no) => class=bad (2.0/0.0)
 => class=good (35.0/0.0)
"""

ODD = Table.of(
    {
        "age of car": [1, 2, 3, 4, 5, 2, 3, 4, 5, 11, 12, 13, 14],
        "kind (of car)": ["a and b"] * 5 + ["c: d"] * 8,
        "the class": ["yes, sure"] * 5 + ["no = never"] * 4 + ["yes, sure"] * 4,
    },
    target="the class",
)
JRIP_ODD = """JRIP rules:
===========

(kind (of car) = c: d) and (age of car <= 5) => the class=no = never (4.0/0.0)
 => the class=yes, sure (9.0/0.0)

Number of Rules : 2
"""
PART_ODD = """PART decision list
------------------

kind (of car) = a and b: yes, sure (5.0)

age of car <= 5: no = never (4.0)

: yes, sure (4.0)

Number of Rules  : 	3
"""


def confusion(model, table):
    """Rows by actual and predicted class, in the order of the model's classes."""
    found = np.zeros((len(model.classes),) * 2, dtype=int)
    np.add.at(found, (model.align(table).target, model.decide(table)), 1)
    return found.tolist()


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (JRIP_VOTE, "vote", [[257, 10], [5, 163]]),
        (PART_IRIS, "iris", [[50, 0, 0], [0, 47, 3], [0, 1, 49]]),
        (JRIP_IRIS, "iris", [[50, 0, 0], [0, 46, 4], [0, 0, 50]]),
        (JRIP_LABOR, "labor", [[20, 0], [2, 35]]),
    ],
)
def test_loaded_lists_predict_what_weka_predicts(text, name, expected, shared_data, tmp_path):
    (tmp_path / "weka.txt").write_text(text)
    data = shared_data(f"uci/{name}.arff")
    model = hedgerow.load(tmp_path / "weka.txt", data)
    assert confusion(model, hedgerow.read(data)) == expected


@pytest.mark.parametrize("text", [JRIP_ODD, PART_ODD, PART_ODD.replace("yes, sure", "'yes, sure'")])
def test_names_and_levels_may_hold_blanks_and_signs(text):
    model = load_rules(text, "odd.txt", ODD)
    assert model.predict(ODD).tolist() == np.array(ODD.schema["the class"].levels, dtype=object)[ODD.target].tolist()
    assert type(model).parse(str(model), model.schema) == model


def test_the_counts_are_kept_and_the_errors_of_many_classes_spread():
    iris = Schema(
        (
            Column("petallength", Kind.NUMERIC),
            Column("petalwidth", Kind.NUMERIC),
            Column("class", Kind.NOMINAL, ("Iris-setosa", "Iris-versicolor", "Iris-virginica")),
        ),
        "class",
    )
    model = load_rules(PART_IRIS, "iris.txt", iris)
    assert [(rule.n, rule.errors) for rule in model] == [(50, 0), (48, 1), (52, 3)]
    assert model.default.weights == (1.5, 1.5, 49)
    assert UNKNOWN_ERRORS in model.about.notes
    assert model.about.notes[0] == "read from iris.txt"
    assert type(model).parse(str(model), model.schema) == model


@pytest.mark.parametrize("n_classes", [3, 4, 8, 20])
@pytest.mark.parametrize("counts", ["7.0/1.0", "149.0/4.0", "9.72/0.36", "100000.0/1.0", "3.0/3.0"])
def test_any_number_of_classes_adds_up(n_classes, counts):
    schema = Schema((Column("x", Kind.NUMERIC), Column("y", Kind.NOMINAL, tuple(map(str, range(n_classes))))), "y")
    model = load_rules(f"(x >= 2) => y=1 ({counts})\n => y=0 (5.0/0.0)\n", "a", schema)
    n, errors = map(float, counts.split("/"))
    assert (model.rules[0].n, model.rules[0].errors) == (n, errors)
    assert type(model).parse(str(model), model.schema) == model


BAD = {
    JRIP_ODD.replace("age of car", "age of cat"): "odd.txt, line 4: there is no column 'age of cat'; did you mean 'age",
    JRIP_ODD.replace("c: d", "c: e"): "line 4: column 'kind (of car)' has no level 'c: e'; did you mean 'c: d'?",
    JRIP_ODD.replace("no = never", "no = newer"): "line 4: there is no class 'no = newer' of 'the class'; did you mean",
    JRIP_ODD.replace("<= 5", "<= five"): "line 4: column 'age of car' must be compared with a finite number",
    JRIP_ODD.replace("car <= 5", "car = 5"): "line 4: column 'age of car' is numeric and cannot be tested with '='",
    JRIP_ODD.replace("(age of car <= 5)", "(young)"): "line 4: 'young' is not a test such as 'name = value'",
    JRIP_ODD.replace("(4.0/0.0)", "(1E40/3E39)"): "line 4: 1e+40 rows covered are too many for printed counts",
    JRIP_ODD.replace("(4.0/0.0)", "(1E999999999/1.0)"): "line 4: Infinity rows covered are too many",
    JRIP_ODD.replace("(4.0/0.0)", "(4.0/5.0)"): "line 4: 5.0 errors are more than the 4.0 rows covered",
    JRIP_ODD.replace(" => the class=yes, sure (9.0/0.0)\n", ""): "does not end with its default rule",
    PART_ODD.replace("no = never", "maybe"): "line 6: no column has all the classes of the rules; 'the class' lacks",
}


@pytest.mark.parametrize("text", BAD)
def test_what_does_not_fit_the_data_is_named_with_its_line(text):
    with pytest.raises(ModelError) as caught:
        load_rules(text, "odd.txt", ODD.schema)
    assert BAD[text] in str(caught.value)


def test_a_print_needs_data_or_column_lines():
    with pytest.raises(ModelError, match=r"odd.txt holds rules as text, but Weka's output does not name"):
        load_rules(JRIP_ODD, "odd.txt")
    told = '# column "kind (of car)": {"a and b", "c: d"}\n# column "age of car": numeric\n'
    model = load_rules(told + JRIP_ODD, "odd.txt")
    assert model.classes == ("no = never", "yes, sure")
