"""Models of bags: their files hold what they should, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from hedgerow import Bagging, BagSummary, BagVote
from hedgerow.data.bags.summary import Summary
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.errors import ModelError
from hedgerow.models.bags.bag_summaries import BagSummaries
from hedgerow.models.bags.bag_votes import BagVotes
from hedgerow.models.files.model_file import dumps, loads
from tests.learn.bags.bag_tables import mixed_bags
from tests.models.files.hostile import survivors_of_odd_parts, with_manifest

DATA = mixed_bags()
VOTES = BagVote(base="naive_bayes").train(DATA)
PLAIN = BagSummary(base="c45").train(DATA)
REGIONS = BagSummary(base="c45", regions="nodes", region_values="share", size=True, levels="mode,share").train(DATA)
MODELS = [VOTES, PLAIN, REGIONS]
ODD = [None, -1, 3, 1e300, "x", "tree", "bag_vote", "bag_summary", True, [], {}, [[]], "vote", "mean", ["mean", "mean"],
       ["sum"], "leaves", "nodes", "share", [0.5, 0.5]]  # fmt: skip


@pytest.mark.parametrize("model", MODELS, ids=["votes", "plain", "regions"])
def test_files_bring_back_the_same_model(model):
    again = loads(dumps(model))
    assert again == model
    assert str(again) == str(model)
    np.testing.assert_array_equal(again.distribution(DATA), model.distribution(DATA))
    assert again.decide(DATA).tolist() == model.decide(DATA).tolist()
    assert again.columns_used() == model.columns_used()
    assert again.member(0).startswith("Member 0 of ")


@pytest.mark.parametrize("model", MODELS, ids=["votes", "plain", "regions"])
def test_odd_parts_are_refused_or_make_a_model_that_works(model):
    for changed in survivors_of_odd_parts(model, ODD, rounds=200):
        changed.scores(changed.align(DATA.slice(0, 3)))


@pytest.mark.parametrize("model", MODELS, ids=["votes", "plain", "regions"])
def test_odd_schemas_are_refused_or_make_a_model_that_works(model):
    inner = next(i for i, column in enumerate(model.schema.columns) if column.kind is Kind.BAG)

    def nested(manifest):
        bag = manifest["schema"]["columns"][inner]
        bag["inner"]["columns"].append({**bag, "name": "deep", "inner": {"columns": []}})

    def two(manifest):
        bag = manifest["schema"]["columns"][inner]
        manifest["schema"]["columns"].append({**bag, "name": "more"})

    def none(manifest):
        manifest["schema"]["columns"][inner]["inner"]["columns"] = []

    for change in (nested, two, none):
        with pytest.raises(ModelError, match=r"^m\.hedge is not a valid hedgerow model file"):
            loads(with_manifest(model, change), "m.hedge")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"rule": "mean"}, "combines the instances"),
        ({"rule": ["vote"]}, "must be a word"),
        ({"prior": np.array([0.5, 0.5])}, "does not match"),
        ({"prior": np.array([0.5, np.nan, 0.5])}, "not finite"),
        ({"prior": np.array([0.5, -0.1, 0.6])}, "negative weight"),
        ({"prior": np.zeros(3)}, "probability of every class"),
        ({"members": [], "pools": {}}, "1 to 1 members, not 0"),
        ({"members": 3, "pools": {}}, "must be a list"),
        ({"more": 1}, "its parts are"),
    ],
)
def test_wrong_parts_of_votes_are_sentences(changes, told):
    with pytest.raises(ModelError, match=told):
        BagVotes.from_dict({**VOTES.to_dict(), **changes}, VOTES.schema, VOTES.about)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"numbers": ["mean", "mena"]}, "summary statistics of bags must be among"),
        ({"numbers": ["mean", "mean"]}, "each once"),
        ({"numbers": "mean"}, "list of words"),
        ({"levels": [1]}, "list of words"),
        ({"size": 1}, "the wrong type"),
        ({"regions": "twigs"}, "regions of bags must"),
        ({"regions": 3}, "the wrong type"),
        ({"values": "sum"}, "their values"),
        ({"regions": "leaves"}, "one member, and a tree"),
    ],
)
def test_wrong_parts_of_summaries_are_sentences(changes, told):
    with pytest.raises(ModelError, match=told):
        BagSummaries.from_dict({**PLAIN.to_dict(), **changes}, PLAIN.schema, PLAIN.about)


def test_wrong_models_are_sentences():
    with pytest.raises(ModelError, match="other columns"):
        BagVotes(VOTES.schema, (PLAIN.base,), "vote", VOTES.prior)
    with pytest.raises(ModelError, match="must come from a tree, not from a Distributions"):
        BagSummaries(VOTES.schema, (PLAIN.base, VOTES.base), PLAIN.summary, "leaves")
    inner = Schema((Column("deep", Kind.BAG, inner=Schema(())),))
    schema = VOTES.schema.with_columns({"things": replace(VOTES.schema["things"], inner=inner)})
    with pytest.raises(ModelError, match="cannot hold bags inside bags"):
        BagVotes(schema, VOTES.members, "vote", VOTES.prior)
    with pytest.raises(ModelError, match="each once"):
        BagSummaries(PLAIN.schema, PLAIN.members, Summary(("mean", "mean")))


def test_models_of_bags_in_a_committee():
    model = Bagging(base=BagSummary(regions="leaves"), n_estimators=2).train(DATA)
    assert loads(dumps(model)) == model
    assert model.nesting == 2


def test_columns_that_are_used():
    assert VOTES.columns_used() is None or "things" in VOTES.columns_used()
    assert PLAIN.columns_used() == ("things",)
    assert BagVote(base="majority").train(DATA).columns_used() in ((), None)


def test_nothing_is_said_of_no_rows():
    for model in MODELS:
        assert model.distribution(DATA.slice(0, 0)).shape == (0, 3)
        assert model.predict(DATA.slice(0, 0)).tolist() == []
