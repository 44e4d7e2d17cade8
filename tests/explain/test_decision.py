"""Why a model decides as it does: the numbers are the model's own."""

import json

import numpy as np
import pytest

import hedgerow
from hedgerow.data.table.table import Table, Text
from hedgerow.data.text.tokens import Tokens
from hedgerow.errors import DataError, UsageError
from hedgerow.layout.json_values import to_json
from hedgerow.models.base.condition import Condition, Operator
from hedgerow.models.base.reason import NoReason, SumReason
from hedgerow.models.base.rule import Rule
from hedgerow.models.many.reason import VotesReason
from hedgerow.models.rules.reason import RulesReason
from hedgerow.models.rules.rule_list import RuleList
from hedgerow.models.rules.rule_set import RuleSet
from hedgerow.models.rules.rule_vote import RuleVote
from hedgerow.models.trees.reason import PathReason
from tests.explain.fake import messages, schema, summing
from tests.tree_tables import random_table

TABLE = messages(
    ["FREE money, lunch! Free?", "nothing known", None, "", "prize İ election\0"],
    [10, np.nan, np.nan, np.nan, 200],
    ["ham", "spam", None, None, "news"],
)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("tokens", [Tokens(), Tokens(ngrams=(1, 2), bits=5), Tokens("char_in_words", (2, 4))], ids=str)
def test_grounds_sum_to_the_difference_of_the_scores(tokens, seed):
    model = summing(tokens, seed=seed)
    raw = model.raw_scores(TABLE)
    for place, found in enumerate(hedgerow.explanations(model, TABLE)):
        assert isinstance(found.reason, SumReason)
        decided, against = found.sides.winner, found.sides.against
        assert decided == raw[place].argmax()
        assert found.reason.total == pytest.approx(raw[place, decided] - raw[place, against], abs=1e-9)
        ratio = np.log(found.probabilities[decided] / found.probabilities[against])
        assert found.reason.total == pytest.approx(ratio, abs=1e-9)
        terms = sum(
            amount
            for part, amount in zip(found.reason.contributions.parts, found.reason.adds, strict=True)
            if part.term >= 0
        )
        assert sum(text.amounts.sum() for text in found.texts) == pytest.approx(terms, abs=1e-9)


def test_the_class_to_set_against_is_the_next_best_or_the_one_asked_for():
    model = summing()
    for found in hedgerow.explanations(model, TABLE):
        others = [code for code in range(3) if code != found.sides.winner]
        assert found.probabilities[found.sides.against] == max(found.probabilities[others])
    for found in hedgerow.explanations(model, TABLE, against="news"):
        assert (found.against == "news") == (found.decision != "news")
        told = any("is the decision itself" in note for note in found.notes)
        assert told == (found.decision == "news")
    with pytest.raises(UsageError, match="no class 'new' to compare with; did you mean 'news'"):
        hedgerow.explanations(model, TABLE, against="new")


def test_a_row_of_which_nothing_is_known_is_told():
    found = hedgerow.explanations(summing(), TABLE)
    assert [one.silent for one in found] == [False, True, True, True, False]
    assert "the prior decides" in str(found[1])
    assert "an empty text" in str(found[3])
    assert [one.actual for one in found] == ["ham", "spam", None, None, "news"]


def test_a_term_that_makes_the_other_class_impossible():
    model = summing(classes=("ham", "spam"))
    model.evidence[model.space.names.index("free")] = [0.0, -np.inf]
    table = messages(["free lunch"], classes=("ham", "spam"))
    (found,) = hedgerow.explanations(model, table)
    assert found.reason.total == np.inf
    assert "+inf" in str(found)
    assert "spam is impossible" in str(found)
    assert "[++free]" in str(found)
    assert json.loads(to_json(found.to_dict()))["why"]["total"] is None
    assert "+inf" in found._repr_html_()


def test_one_class_only():
    model = summing(classes=("ham",))
    (found,) = hedgerow.explanations(model, messages(["free"], classes=("ham",)))
    assert (found.decision, found.against) == ("ham", None)
    assert "the model knows only one class" in str(found)
    assert found._repr_html_()


def test_rows_are_positions():
    model = summing()
    assert [one.number for one in hedgerow.explanations(model, TABLE, [4, 0])] == [5, 1]
    assert hedgerow.explanations(model, TABLE, []) == []
    for rows in ([5], [-1]):
        with pytest.raises(UsageError, match="no row at position"):
            hedgerow.explanations(model, TABLE, rows)


def test_texts_may_be_given_as_a_list():
    model = summing()
    found = hedgerow.explanations(model, ["free money", None])
    assert [one.texts[0].text if one.texts else None for one in found] == ["free money", None]
    with pytest.raises(DataError, match="list of texts"):
        hedgerow.explanations(model, "free money")
    rules = hedgerow.OneR().train(hedgerow.examples.loan())
    with pytest.raises(UsageError, match="does not use texts"):
        hedgerow.explanations(rules, ["free money"])


def test_what_predicts_nothing_is_refused():
    table = Table.of({"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 3.5]}, "y")
    with pytest.raises(UsageError, match="predicts neither a class nor a number"):
        hedgerow.explanations(hedgerow.Discretize(method="width").train(table), table)
    with pytest.raises(UsageError, match="neither a model"):
        hedgerow.explanations(3, table)


def test_a_fitted_learner_is_taken_for_its_model():
    frame = pytest.importorskip("pandas").DataFrame({"x": [1, 2, 3, 4], "z": ["a", "b", "a", "b"]})
    learner = hedgerow.C45(min_leaf=1).fit(frame, ["u", "u", "v", "v"])
    assert [one.decision for one in hedgerow.explanations(learner, frame)] == ["u", "u", "v", "v"]


@pytest.mark.parametrize("learner", [hedgerow.C45(), hedgerow.CART(min_samples_leaf=2), hedgerow.ID3()], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_the_paths_of_a_tree_give_its_probabilities(learner, seed):
    """Missing values take surrogates, the way of the missing, or all ways by their shares."""
    table = random_table(seed, 120, classes=3, missing=not isinstance(learner, hedgerow.ID3))
    model = learner.train(table)
    for found in hedgerow.explanations(model, table, range(40)):
        assert isinstance(found.reason, PathReason)
        shares = sum(path.share * model.leaf_shares[path.leaf] for path in found.reason.paths)
        assert shares == pytest.approx(found.probabilities, abs=1e-12)
        assert sum(path.share for path in found.reason.paths) == pytest.approx(1)
        row = model.align(table).slice(found.number - 1, found.number)
        for path in found.reason.paths:
            for step in path.steps:
                assert step.instead or step.condition.covers(row)[0]
        near = found.reason.nearest
        assert near is None or not any(test.covers(row)[0] for test, _ in near.fails)
        assert str(found)
        assert found._repr_html_()


def spam_rules():
    free = Rule((Condition("message", Operator.CONTAINS, "free"), Condition("length", Operator.ABOVE, 5)), (1, 7, 0), 1)
    lunch = Rule((Condition("message", Operator.CONTAINS, "lunch"),), (4, 0, 0), 0)
    return (free, lunch), Rule((), (5, 7, 3), 1)


def test_the_deciding_rule_of_a_list_is_told_and_its_words_are_marked():
    rules, default = spam_rules()
    found = hedgerow.explanations(RuleList(schema(), rules, default), TABLE)
    assert [one.reason.numbers for one in found] == [(0,), (2,), (2,), (2,), (2,)]
    assert [piece for piece in found[0].texts[0].pieces() if piece[1]] == [("FREE", 0.5), ("Free", 0.5)]
    assert "Rule 1 of 2 is the first that covers the row." in str(found[0])
    assert "the row has length 10" in str(found[0])
    assert "None of the 2 rules covers the row: the default decides." in str(found[1])
    assert 'The nearest rule for ham, rule 2 (4/0), requires message contains "lunch"' in str(found[1])


def test_rules_of_a_set_that_disagree():
    rules, default = spam_rules()
    found = hedgerow.explanations(RuleSet(schema(), rules, default, "default"), TABLE, [0])[0]
    assert "2 rules of 2 cover the row and disagree: the default decides." in str(found)
    assert {amount > 0 for _, amount in found.texts[0].pieces() if amount} == {True, False}
    added = hedgerow.explanations(RuleSet(schema(), rules, default, "sum"), TABLE, [0])[0]
    assert "their counts are added" in str(added)


def test_rules_that_vote_tell_their_votes():
    rules, default = spam_rules()
    model = RuleVote(schema(), rules, default, 2)
    found = hedgerow.explanations(model, TABLE, [0, 1])
    assert isinstance(found[0].reason, RulesReason)
    assert found[0].reason.weights == tuple(model.votes.tolist())
    assert "the first 2 vote by their odds" in str(found[0])
    assert "the default decides" in str(found[1])


def test_rows_without_an_answer():
    rules, default = spam_rules()
    model = RuleList(schema(), rules, Rule((), default.weights, None))
    found = hedgerow.explanations(model, TABLE, [1])[0]
    assert found.decision is None
    assert found.against is None
    assert "no prediction of Class" in str(found)
    assert "no prediction" in found._repr_html_()


def test_a_model_without_rules_says_so():
    table = hedgerow.examples.loan()
    found = hedgerow.explanations(hedgerow.Majority().train(table), table, [0])[0]
    assert "it predicts the same for every row" in str(found)
    stump = hedgerow.C45(min_leaf=20).train(table)
    assert "its prediction is the same for every row" in str(hedgerow.explanations(stump, table, [0])[0])


COMMITTEES = [
    hedgerow.Bagging(n_estimators=5),
    hedgerow.RandomForest(n_estimators=7),
    hedgerow.AdaBoost(n_estimators=4),
]


@pytest.mark.parametrize("learner", COMMITTEES, ids=str)
def test_committees_tell_the_votes_of_their_members(learner):
    table = hedgerow.examples.loan()
    model = learner.train(table)
    for found in hedgerow.explanations(model, table):
        assert isinstance(found.reason, VotesReason)
        told = found.reason.to_dict()
        assert sum(one["members"] for one in told["tally"]) == len(model)
        assert [one["share"] for one in told["tally"]] == pytest.approx(found.probabilities.tolist())
        assert str(found)


def test_committees_of_rules_mark_words():
    rules, default = spam_rules()
    lists = (RuleList(schema(), rules, default), RuleList(schema(), rules[1:], default))
    model = hedgerow.Committee(schema(), lists, np.array([2.0, 1.0]))
    found = hedgerow.explanations(model, TABLE, [0])[0]
    assert found.decision == "spam"
    marks = {piece: amount for piece, amount in found.texts[0].pieces() if amount}
    assert marks == pytest.approx({"FREE": 1.0, "lunch": -1.0, "Free": 1.0})


def test_costs_may_decide_otherwise_than_probabilities():
    table = hedgerow.examples.loan()
    tree = hedgerow.C45(min_leaf=20).train(table)
    costly = type(tree)(tree.schema, tree.nodes, tree.weights, costs=np.array([[0.0, 9.0], [1.0, 0.0]]))
    found = hedgerow.explanations(costly, table, [0])[0]
    assert found.decision == "No"
    assert "but the misclassification costs decide for No" in str(found)


def test_a_model_of_another_package_tells_nothing():
    from hedgerow.models.base.model import ClassModel

    class Mute(type(summing())):
        contributions = ClassModel.contributions

    model = summing()
    mute = Mute(model.schema, model.space, model.prior, model.evidence, model.slope)
    found = hedgerow.explanations(mute, TABLE, [0])[0]
    assert isinstance(found.reason, NoReason)
    assert "cannot split its decision into contributions" in str(found)
    assert "cannot split" in found._repr_html_()


def test_values_are_plain_json():
    for found in hedgerow.explanations(summing(), TABLE):
        told = json.loads(to_json(found.to_dict()))
        assert told["row"] == found.number
        text = "".join(piece for one in told["texts"] for piece, _ in one["pieces"])
        assert text == (TABLE["message"][found.number - 1] or "")
        assert sum(ground["adds"] for ground in [*told["why"]["grounds"], *told["why"]["prior"]]) == pytest.approx(
            told["why"]["total"]
        )


def test_unseen_levels_are_missing():
    table = hedgerow.examples.loan()
    model = hedgerow.OneR().train(table)
    strange = Table.of({name: ["?"] for name in ("Age", "Has_Job", "Own_House", "Credit_Rating")})
    assert "the default decides" in str(hedgerow.explanations(model, strange)[0])


def test_invalid_bytes_go_through():
    raw = b"free \xff\xfe money"
    column = Text(np.frombuffer(raw, np.uint8), np.array([0, len(raw)]), np.zeros(1, np.bool_))
    found = hedgerow.explanations(summing(), messages(column))[0]
    assert found.texts[0].text == raw.decode("utf-8", "replace")
    assert "\ufffd" in str(found)


@pytest.mark.parametrize("rows", [["a"], [0.5], [True], 5, "all", [10**30], range(10**15), [-1]], ids=repr)
def test_rows_that_are_no_positions(rows):
    model = hedgerow.NaiveBayes().fit(["aa", "bb"], ["x", "y"])
    with pytest.raises(UsageError, match="position"):
        hedgerow.explanations(model, ["aa", "bb"], rows)


@pytest.mark.parametrize("learner", [hedgerow.NaiveBayes(), hedgerow.Rocchio(), hedgerow.KNN(n_neighbors=1)], ids=repr)
@pytest.mark.parametrize("texts", [[None], [None, float("nan")], np.array([None], dtype=object)], ids=repr)
def test_texts_that_are_all_missing(learner, texts):
    """They are texts to what was learned from texts alone."""
    fitted = learner.fit(["aa", "bb", "bb"], ["x", "y", "y"])
    assert fitted.predict(texts).tolist() == ["y"] * len(texts)
    assert fitted.model_.predict(texts).tolist() == ["y"] * len(texts)
    assert [one.silent for one in hedgerow.explanations(fitted, texts)] == [True] * len(texts)
