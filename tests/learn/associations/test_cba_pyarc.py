"""CBA compared with pyARC: the same rules and the same list from the same nominal table and parameters.

pyARC adds rules without conditions (they are left out here by zmin=2), counts the class as a condition, and leaves ties
of confidence, support and length to the order in which its miner lists rules; here it gets our order of generation. If
no rows are left, it predicts a class called "None"; there we keep to the heaviest class.
"""

import warnings

import numpy as np
import pytest

import hedgerow
from hedgerow import CBA
from hedgerow.data.design.discretize import Discretizer
from hedgerow.learn.associations.class_rule_options import ClassRuleOptions
from hedgerow.learn.associations.class_rules import mine_class_rules
from hedgerow.learn.associations.coded_rows import EncodedRows
from tests.textbook import contact_lenses, loan_a, loan_b, weather

pyarc = pytest.importorskip("pyarc")
fim = pytest.importorskip("fim")


def nominal(table):
    """Return the table cut by MDL, without constant columns."""
    cut = hedgerow.Discretize().train(table).transform(table)
    target = cut.schema.target
    told = [c.name for i, c in enumerate(cut.schema.columns) if c.name == target or len(np.unique(cut.codes(i))) > 1]
    return cut.select(told)


def transactions(table):
    target = table.schema.index(table.schema.target)
    places = [*(i for i in range(len(table.schema)) if i != target), target]
    columns = [np.array([*table.schema.columns[i].levels, None], dtype=object)[table.codes(i)] for i in places]
    header = [table.schema.columns[i].name for i in places]
    return pyarc.TransactionDB([list(row) for row in zip(*columns, strict=True)], header, unique_transactions=True)


def item(table, word):
    name, level = word.split(":=:")
    return table.schema.index(name), table.schema[name].levels.index(level)


def their_rules(table, data, support, length):
    """The rules of pyARC's miner in our order of generation."""
    how = {"mode": "o", "target": "r", "report": "sc", "appear": data.appeardict, "zmin": 2, "zmax": length + 1}
    rules = fim.apriori(data.string_representation, supp=100 * support, conf=50, **how)

    def generated(rule):
        tests = sorted(item(table, word) for word in rule[1])
        return len(tests), tests, item(table, rule[0])[1]

    return sorted(rules, key=generated), generated


def our_cars(table, support, length):
    rows = EncodedRows.of(table, table.schema.predictors, Discretizer())
    cars = mine_class_rules(rows, ClassRuleOptions(min_support=support, max_length=length))
    places = [table.schema.index(name) for name in rows.columns.columns]
    tests = [(places[c], v) for c, v in zip(cars.columns.tolist(), cars.codes.tolist(), strict=True)]
    starts = cars.starts.tolist()
    return [
        (stop - start, tests[start:stop], decision)
        for start, stop, decision in zip(starts[:-1], starts[1:], cars.decisions.tolist(), strict=True)
    ]


def compare(table, support, length):
    from pyarc.algorithms import M1Algorithm, createCARs

    data = transactions(table)
    theirs, generated = their_rules(table, data, support, length)
    assert [generated(rule) for rule in theirs] == our_cars(table, support, length)
    if not theirs:
        return
    made = M1Algorithm(createCARs(theirs), data).build()
    model = CBA(min_support=support, max_length=length).train(table)
    levels = table.schema.target_column.levels
    listed = [
        (
            sorted(item(table, f"{name}:=:{level}") for name, level in rule.antecedent.itemset.items()),
            rule.consequent.value,
        )
        for rule in made.rules
    ]
    ours = [
        ([(table.schema.index(c.column), table.schema[c.column].levels.index(c.value)) for c in rule.conditions],
         levels[rule.code])
        for rule in model.rules
    ]  # fmt: skip
    assert ours == listed
    left = model.default.weights
    if any(left) and sorted(left)[-1] > sorted((0, *left))[-2]:  # no tie, which pyARC breaks by the order of its set
        assert made.default_class == levels[model.default.decision]
    assert str(CBA(min_support=support, max_length=length, algorithm="m2").train(table)) == str(model)


@pytest.mark.parametrize("table", [loan_a(), loan_b(), weather(), contact_lenses()], ids=["loan_a", "loan_b", "w", "c"])
@pytest.mark.parametrize("support", [0.01, 0.1, 0.3])
def test_textbook_tables(table, support):
    names = [c.name for c in table.schema.columns if not c.ignored]
    compare(nominal(table.select(names)), support, 3)


@pytest.mark.parametrize(
    ("name", "support", "length"),
    [
        ("iris", 0.01, 4),
        ("labor", 0.05, 3),
        ("glass", 0.01, 4),
        ("vote", 0.05, 3),
        ("diabetes", 0.01, 4),
        ("lymph", 0.1, 3),
    ],
)
def test_public_sets(shared_data, name, support, length):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(nominal(hedgerow.read(shared_data(f"uci/{name}.arff"))), support, length)
