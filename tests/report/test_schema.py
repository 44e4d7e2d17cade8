"""The types of reports: reports have the keys that their types tell, and docs/reports.md documents each of them."""

import json
import re
from pathlib import Path
from types import NoneType, UnionType
from typing import NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

import hedgerow
from hedgerow.layout.json_values import to_plain_values
from hedgerow.report import schema
from tests.cli.run import run
from tests.evaluate.toys import blobs, straight
from tests.explain.fake import messages, summing
from tests.report.linear.test_telling_terms import mails

DOCS = Path(__file__).parents[2] / "docs" / "reports.md"
LOAN = hedgerow.examples.loan()
RINGS = "smell,ring,class\n1,a,x\n2,a,x\n5,b,y\n6,b,y\n1,c,x\n6,d,y\n"


def optional_keys(kind):
    """Return the keys that a report need not have; annotations are strings, so Python itself does not know them."""
    hints = get_type_hints(kind, include_extras=True)
    return kind.__optional_keys__ | {key for key, hint in hints.items() if get_origin(hint) is NotRequired}


def faults(value, kind, where):
    """Yield where a value has other keys than its type."""
    if is_typeddict(kind):
        if not isinstance(value, dict):
            yield f"{where} is {type(value).__name__}, not {kind.__name__}"
            return
        hints = get_type_hints(kind)
        yield from (f"{where}.{key} is not in {kind.__name__}" for key in value.keys() - hints.keys())
        missing = hints.keys() - optional_keys(kind) - value.keys()
        yield from (f"{where}.{key} of {kind.__name__} is missing" for key in missing)
        for key in value.keys() & hints.keys():
            yield from faults(value[key], hints[key], f"{where}.{key}")
    elif get_origin(kind) in (Union, UnionType):
        kinds = [one for one in get_args(kind) if one is not NoneType]
        found = [] if value is None else [list(faults(value, one, where)) for one in kinds]
        yield from min(found, key=len, default=[])
    elif get_origin(kind) is list and isinstance(value, list):
        for place, one in enumerate(value):
            yield from faults(one, get_args(kind)[0], f"{where}[{place}]")


def fits(report):
    kind = schema.REPORTS[report["report"]]
    return list(faults(to_plain_values(report), kind, kind.__name__))


def crossed(learner, table, **more):
    model = learner.train(table)
    return hedgerow.full_report(model, table, hedgerow.cross_validate(learner, table, 3), picture=True, **more)


def clusters(learner):
    table = blobs(3, 6)
    return hedgerow.clusters_page(learner.train(table), table)


def decisions(learner, table, rows=(0, 3)):
    model = learner.train(table)
    return hedgerow.explanations_report(model, hedgerow.explanations(model, table, rows))


def of_texts():
    model = summing()
    return hedgerow.explanations_report(model, hedgerow.explanations(model, messages(["free money", None])), 2)


MADE = {
    "data": lambda: hedgerow.describe_report(hedgerow.examples.weather(), by_class=True),
    "texts": lambda: hedgerow.describe_report(mails()),
    "a tree with cards": lambda: crossed(
        hedgerow.C45(), LOAN, cards=hedgerow.rule_cards(hedgerow.C45().train(LOAN), LOAN, folds=3)
    ),
    "rules tested": lambda: hedgerow.full_report(
        hedgerow.OneR().train(LOAN), LOAN, hedgerow.test(hedgerow.OneR().train(LOAN), LOAN)
    ),
    "numbers": lambda: crossed(hedgerow.LinearRegression(), straight(40)),
    "terms": lambda: hedgerow.model_report(hedgerow.NaiveBayes().train(mails())),
    "prototypes": lambda: hedgerow.model_report(hedgerow.Rocchio().train(mails())),
    "holdout": lambda: hedgerow.rules_report(hedgerow.rule_cards(hedgerow.OneR().train(LOAN), LOAN, holdout=0.4)),
    "clusters": lambda: clusters(hedgerow.KMeans(n_clusters=2)),
    "merges": lambda: clusters(hedgerow.Agglomerative(n_clusters=2)),
    "sums": of_texts,
    "paths": lambda: decisions(hedgerow.C45(min_leaf=1), LOAN),
    "rules": lambda: decisions(hedgerow.CBA(), LOAN),
    "votes": lambda: decisions(hedgerow.RandomForest(n_estimators=5), LOAN),
    "neighbors": lambda: decisions(hedgerow.KNN(), LOAN),
    "support": lambda: decisions(hedgerow.SVM(kernel="rbf"), blobs(2, 10)),
    "untold": lambda: decisions(hedgerow.LocallyWeighted(), straight(20)),
}
CALLS = [
    ("describe", "loan.csv"),
    ("crossval", "loan.csv", "--folds", 3),
    ("train", "loan.csv", "--folds", 3, "-o", "m.hedge"),
    ("train", "loan.csv", "-l", "c45", "--show-work"),
    ("show", "tree.hedge"),
    ("show", "texts.hedge", "--terms", 3),
    ("test", "tree.hedge", "loan.csv"),
    ("rules", "tree.hedge"),
    ("rules", "tree.hedge", "loan.csv", "--folds", 3),
    ("learners",),
    ("learners", "c45"),
    ("associate", "groceries.csv", "--show-work"),
    ("associate", "groceries.csv", "--only-sets"),
    ("associate", "rules.json", "--recommend", "groceries.csv"),
    ("cluster", "loan.csv", "--class", "Class", "--describe", "tree", "--show-work"),
    ("explain", "tree.hedge", "loan.csv"),
    ("explain", "bags.hedge", "rings.csv"),
    ("compare", "loan.csv", "-l", "majority,c45", "--runs", 1, "--folds", 3),
    ("curve", "loan.csv", "-l", "c45", "--folds", 3),
    ("report", "tree.hedge", "loan.csv"),
]


@pytest.mark.parametrize("name", MADE)
def test_reports_have_the_keys_of_their_types(name):
    assert fits(MADE[name]()) == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("reports")
    (path / "loan.csv").write_text(hedgerow.examples.loan_csv())
    (path / "groceries.csv").write_text(hedgerow.examples.groceries_csv())
    (path / "rings.csv").write_text(RINGS)
    hedgerow.C45().train(LOAN).save(path / "tree.hedge")
    hedgerow.NaiveBayes().train(mails()).save(path / "texts.hedge")
    hedgerow.association_rules(hedgerow.mine(hedgerow.examples.groceries(), min_count=3), 0.5).save(path / "rules.json")
    return path


@pytest.mark.parametrize("call", CALLS, ids=lambda call: " ".join(map(str, call)))
def test_what_the_verbs_print_has_the_keys_of_its_type(call, folder, monkeypatch):
    monkeypatch.chdir(folder)
    if "bags.hedge" in call:
        done = run("train", "rings.csv", "-l", "bag_vote", "--bag", "ring", "--folds", 0, "-o", "bags.hedge")
        assert done.status == 0, done.err
    done = run(*call, "--json")
    assert done.status == 0, done.err
    assert fits(json.loads(done.out)) == []


def keys_of(kind, seen):
    """Yield all keys of a type and of those within it."""
    if is_typeddict(kind) and kind not in seen:
        seen.add(kind)
        for key, hint in get_type_hints(kind).items():
            yield key
            yield from keys_of(hint, seen)
    for inner in get_args(kind):
        yield from keys_of(inner, seen)


@pytest.mark.parametrize("kind", schema.REPORTS)
def test_the_docs_document_every_key(kind):
    told = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", DOCS.read_text()))))
    assert sorted(set(keys_of(schema.REPORTS[kind], set())) - told) == []
