"""Rule cards: measures on unseen rows, and no rule tested on its own training rows."""

import math
from dataclasses import replace

import numpy as np
import pytest

import hedgerow
from hedgerow import C45, CART, C45Rules, DataError, OneR, Table, UsageError, render, to_html
from hedgerow.checks import example
from hedgerow.data.rows.row_groups import ignore_group_column, number_groups
from hedgerow.evaluate import splits
from hedgerow.evaluate.metrics.estimates import wilson
from hedgerow.explain.card import RuleTally
from hedgerow.explain.cards import rule_cards
from hedgerow.models.rules.rule_list import RuleList
from hedgerow.models.rules.rule_set import RuleSet

LOAN = hedgerow.examples.loan()


def noisy(rows=300, seed=3, weights=False):
    """Return a class determined by a number and a level, with noise and missing values, and an unused level."""
    random = np.random.default_rng(seed)
    number, level = np.round(random.normal(size=rows), 2), random.integers(0, 3, rows)
    is_yes = ((number > 0.2) | (level == 1)) ^ (random.random(rows) < 0.1)
    columns = {
        "number": [None if random.random() < 0.05 else float(v) for v in number],
        "farbe": [None if random.random() < 0.05 else ("rot", "grün", "blau")[v] for v in level],
        "class": ["ja" if one else "nein" for one in is_yes],
    }
    given = random.integers(1, 4, rows).astype(float) if weights else None
    levels = {"farbe": ("rot", "grün", "blau"), "class": ("ja", "nein")}
    return Table.of(columns, "class", levels, weights=given)


def by_hand(model, table):
    """Return for each rule of a list the weight covered and right, a row at a time."""
    found = [[0.0, 0.0] for _ in model]
    labels = table.schema.target_column.levels
    for row in range(len(table)):
        part = table.take(np.array([row]))
        place = next((p for p, rule in enumerate(model.rules) if rule.covers(part)[0]), len(model.rules))
        rule = [*model][place]
        found[place][0] += part.row_weights[0]
        found[place][1] += part.row_weights[0] * (labels[part.target[0]] == model.classes[rule.decision])
    return found


@pytest.mark.parametrize("weights", [False, True])
def test_the_rules_of_a_model_on_other_rows(weights):
    model, other = C45Rules().train(noisy()), noisy(seed=4, weights=weights)
    cards = rule_cards(model, other)
    assert [[card.unseen.covered, card.unseen.right] for card in cards] == by_hand(model, other)
    assert {card.unseen.total for card in cards} == {other.row_weights.sum()}
    assert [(card.training.covered, card.training.errors) for card in cards] == [(r.n, r.errors) for r in model]
    assert (cards.evaluation, cards.seed, cards.others) == ("data", None, None)
    assert all(card.matches is None and card.in_model is None for card in cards)


def test_shares_have_wilsons_interval():
    tally = RuleTally(8, 6, 40)
    assert tally.coverage == wilson(0.2, 40)
    assert tally.precision == wilson(0.75, 8)
    assert math.isnan(RuleTally(0, 0, 40).precision.value)
    assert math.isnan(RuleTally().coverage.value)
    assert RuleTally(1, 1, 2) + RuleTally(2, 1, 3) == RuleTally(3, 2, 5)


def test_a_holdout_shows_the_rules_of_the_training_part_alone():
    table = noisy(weights=True)
    cards = rule_cards(C45Rules().train(table), table, holdout=0.3, seed=5)
    split = next(splits.holdout(table.target, 0.7, 1, 5))
    part = C45Rules().train(table.take(split.train))
    assert str(cards.model) == str(part)
    assert [[card.unseen.covered, card.unseen.right] for card in cards] == by_hand(part, table.take(split.test))
    assert (len(split.train), len(split.test)) == (210, 90)
    assert {str(card.in_model) for card in cards} <= {"same", "alike", "columns", "none"}
    assert cards.method == "rules trained on 210 rows, metrics on unseen rows from the 90 others"


def test_folds_pool_the_rules_that_are_found_again():
    table = LOAN
    model = C45Rules().train(table)
    cards = rule_cards(model, table, folds=5, seed=2)
    wanted = frozenset(model.rules[0].conditions), model.rules[0].decision
    covered = right = of = same = 0
    for split in splits.folds(table.target, 5, 2):
        part = C45Rules().train(table.take(split.train))
        test = table.take(split.test)
        found = [(frozenset(rule.conditions), rule.decision) for rule in part]
        if wanted in found:
            pair = by_hand(part, test)[found.index(wanted)]
            covered, right, of, same = covered + pair[0], right + pair[1], of + len(test), same + 1
    card = cards.cards[0]
    assert 0 < same <= 5
    assert (card.unseen.covered, card.unseen.right, card.unseen.total) == (covered, right, of)
    assert (card.matches.same, card.matches.of) == (same, 5)


@pytest.mark.parametrize("learner", [C45Rules(), C45(), OneR(min_bucket=10), C45(prune="none")])
def test_every_test_row_counts_once_in_the_rules_of_the_folds(learner):
    """The rows of all rules of the folds, the model's or others, are all rows, and their errors the folds' errors."""
    table = noisy(weights=True)
    cards = rule_cards(learner.train(table), table, folds=4)
    covered = sum(card.unseen.covered for card in cards) + cards.others.covered
    right = sum(card.unseen.right for card in cards) + cards.others.right
    assert covered == pytest.approx(table.row_weights.sum())
    if not isinstance(learner, C45):  # a divided row may be right by one path and wrong by another
        results = hedgerow.cross_validate(learner, table, folds=4)
        assert right == pytest.approx(results.weight[results.decided == results.actual].sum())


def test_unseen_figures_never_come_from_rows_that_the_rule_was_learned_from():
    """Rules that learn rows by heart are right about all training rows, and about no unseen row but by chance."""
    random = np.random.default_rng(1)
    columns = {"x": random.permutation(400).astype(float), "y": ["ab"[v] for v in random.integers(0, 2, 400)]}
    table = Table.of(columns, "y")
    learner = CART(prune="none", min_samples_leaf=1)
    for given in ({"holdout": 0.5}, {"folds": 5}):
        cards = rule_cards(learner, table, **given)
        seen = sum((card.training for card in cards), RuleTally())
        unseen = sum((card.unseen for card in cards), cards.others or RuleTally())
        assert seen.precision.value > 0.95
        assert 0.4 < unseen.precision.value < 0.6


def test_a_learner_may_be_given_instead_of_a_model():
    by_learner, by_model = (rule_cards(one, LOAN, folds=3) for one in (C45Rules(), C45Rules().train(LOAN)))
    assert by_learner.to_arrow().equals(by_model.to_arrow())
    assert all(card.in_model is None for card in rule_cards(C45Rules(), LOAN, holdout=0.3))
    plain = LOAN.select(name for name in LOAN.schema.names if name != "ID")
    fitted = C45Rules().fit(plain)
    assert rule_cards(fitted, LOAN).to_arrow().equals(rule_cards(fitted.model_, LOAN).to_arrow())
    with pytest.raises(UsageError, match="c45_rules has no rules before it is trained; give holdout or folds"):
        rule_cards(C45Rules(), LOAN)


def test_the_learner_runs_again_with_the_parameters_that_the_model_names(capsys):
    table = noisy()
    model = C45Rules(min_leaf=40, trace=True).train(table)
    capsys.readouterr()
    cards = rule_cards(model, table, folds=3)
    assert cards.to_arrow().equals(rule_cards(C45Rules(min_leaf=40), table, folds=3).to_arrow())
    assert capsys.readouterr().out == ""


def test_threads_and_progress_change_nothing():
    table, told = noisy(), []
    model = C45().train(table)
    one = rule_cards(model, table, folds=6, threads=1, progress=lambda *done: told.append(done))
    assert one.to_arrow().equals(rule_cards(model, table, folds=6, threads=3).to_arrow())
    assert told == [(done, 6) for done in range(1, 7)]


def test_a_row_of_weight_two_is_two_rows():
    table = noisy(120)
    model = C45Rules().train(table)
    twice = table.take(np.repeat(np.arange(120), 2))
    heavy = table.with_weights(np.full(120, 2.0))
    assert rule_cards(model, twice).to_arrow().equals(rule_cards(model, heavy).to_arrow())
    without = table.with_weights(np.where(np.arange(120) < 20, 0.0, 1.0))
    rest = table.take(np.arange(20, 120))
    assert rule_cards(model, without).to_arrow().equals(rule_cards(model, rest).to_arrow())


def test_cards_as_a_table():
    names = rule_cards(C45Rules().train(LOAN), LOAN, folds=5).to_arrow().column_names
    assert names[:10] == C45Rules().train(LOAN).to_arrow().column_names
    assert {"training_n", "unseen_coverage_low", "unseen_precision", "folds_same", "folds_alike", "folds"} <= {*names}
    assert "in_model" in rule_cards(C45Rules().train(LOAN), LOAN, holdout=0.3).to_arrow().column_names


def test_rows_of_a_set_count_for_each_of_its_rules():
    schema = LOAN.select(name for name in LOAN.schema.names if name != "ID").schema
    text = "If Own_House = true then Class = Yes\nIf Has_Job = true then Class = Yes\nWhere no rule covers or rules "
    rules = RuleSet.parse(text + "disagree, Class = No", schema)
    cards = rule_cards(rules, LOAN)
    assert [(card.unseen.covered, card.unseen.right) for card in cards] == [(6, 6), (5, 5), (6, 6)]
    assert all(card.training.total == 0 for card in cards)


def test_a_default_without_a_decision_is_neither_right_nor_wrong():
    rules = RuleList.parse("if Own_House = true then Class = Yes\notherwise no decision", LOAN.schema)
    last = rule_cards(rules, LOAN).cards[-1]
    assert last.unseen.covered == 9
    assert math.isnan(last.unseen.precision.value)


def test_hand_written_rules_take_all_data_as_unseen():
    rules = RuleList.parse("if Own_House = true then Class = Yes\notherwise Class = No", LOAN.schema)
    assert [card.unseen.covered for card in rule_cards(rules, LOAN)] == [6, 9]
    for given in ({"folds": 5}, {"holdout": 0.3}):
        with pytest.raises(
            UsageError, match=r"does not record which learner trained it.*all rows of the data are then treated"
        ):
            rule_cards(rules, LOAN, **given)


def test_a_class_that_the_model_does_not_know_is_always_wrong():
    model = C45Rules().train(LOAN)
    rows = {name: ["young", "true", "true", "fair", "Perhaps"][place : place + 1] for place, name in enumerate(
        ("Age", "Has_Job", "Own_House", "Credit_Rating", "Class"))}  # fmt: skip
    cards = rule_cards(model, Table.of(rows, "Class"))
    assert [(card.unseen.covered, card.unseen.right) for card in cards] == [(0, 0), (1, 0)]
    assert any("does not know the class 'Perhaps'" in note for note in cards.notes)


def test_what_to_know_of_the_rows():
    model = C45Rules().train(LOAN)
    unknown = model.replace_about(replace(model.about, sketch=None))
    assert "exactly as many rows as the model was trained on (15)" in rule_cards(unknown, LOAN).notes[-1]
    assert not rule_cards(unknown, LOAN.take(np.arange(12))).notes[1:]
    fewer = rule_cards(model, LOAN.take(np.arange(12)), folds=3)
    assert "the model was trained on 15 rows, but these data have 12" in fewer.notes[-1]
    few = rule_cards(model, LOAN, folds=50)
    assert any("50 folds were requested" in note for note in few.notes)


def test_training_rows_are_not_called_unseen():
    model = C45Rules().train(noisy())
    same, other = rule_cards(model, noisy()), rule_cards(model, noisy(seed=4))
    assert same.method.endswith("which are not unseen")
    assert other.method.endswith("which are treated as unseen rows")
    assert (same.overlap.is_trained, other.overlap.is_trained) == (True, False)
    assert rule_cards(model, noisy(), folds=3).overlap is None
    for cards, is_warned in ((same, True), (other, False)):
        for text in (render(hedgerow.rules_report(cards)), to_html(hedgerow.rules_report(cards))):
            assert ("About 100 % of these rows were trained on" in text) == is_warned
    assert "   unseen" not in render(hedgerow.rules_report(same))
    assert "   unseen" in render(hedgerow.rules_report(other))


def test_folds_in_which_the_learner_makes_no_rules_are_told():
    class Moody(C45Rules):
        """Makes rules of many rows, naive Bayes of fewer."""

        def train(self, data):
            return (C45Rules() if len(data) == 15 else hedgerow.NaiveBayes()).train(data)

    cards = rule_cards(Moody(), LOAN, folds=4)
    assert "in 4 of 4 folds the learner trained a model without rules" in cards.notes
    assert all(card.unseen == RuleTally() and card.matches.of == 4 and not card.matches.same for card in cards)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"holdout": 0}, UsageError, "the share to hold out must lie between 0 and 1, such as 0.3, but is 0"),
        ({"holdout": 1.5}, UsageError, "must lie between 0 and 1"),
        ({"holdout": math.nan}, UsageError, "must lie between 0 and 1"),
        ({"folds": 1}, UsageError, "the number of folds must be at least 2, but is 1"),
        ({"folds": 3, "holdout": 0.3}, UsageError, "choose one of holdout and folds"),
        ({"folds": 3, "seed": -1}, UsageError, "the seed must not be negative"),
    ],
)
def test_what_cannot_be_asked_for(given, error, words):
    with pytest.raises(error) as told:
        rule_cards(C45Rules().train(LOAN), LOAN, **given)
    assert words in str(told.value)


def test_data_that_tell_nothing():
    model = C45Rules().train(LOAN)
    with pytest.raises(DataError, match="lack the target 'Class'"):
        rule_cards(model, LOAN.select(name for name in LOAN.schema.names if name != "Class").with_target(None))
    gone = LOAN.with_column(LOAN.schema.target_column, np.full(15, -1, dtype=np.int32))
    with pytest.raises(DataError, match="missing in every row"):
        rule_cards(model, gone)
    with pytest.raises(DataError, match="no row has both a weight and a value"):
        rule_cards(model, LOAN.with_weights(np.zeros(15)))
    with pytest.raises(DataError, match="folds need at least two rows"):
        rule_cards(model, LOAN.take(np.array([3])), folds=3)
    with pytest.raises(UsageError, match="naive Bayes has no rules"):
        rule_cards(hedgerow.NaiveBayes().train(LOAN), LOAN)
    with pytest.raises(UsageError, match="which has no rules"):
        rule_cards(hedgerow.NaiveBayes(), LOAN, holdout=0.3)
    with pytest.raises(UsageError, match="need a model or a learner, not a str"):
        rule_cards("c45", LOAN)
    with pytest.raises(DataError, match="rules predict a class"):
        rule_cards(hedgerow.CARTRegressor(), example(hedgerow.CARTRegressor()), folds=3)


def test_one_row_is_enough_to_be_unseen():
    cards = rule_cards(C45Rules().train(LOAN), LOAN.take(np.array([0])))
    assert [card.unseen.covered for card in cards] == [1, 0]
    assert repr(cards) == "<Cards: 2 rules; the model's rules on these data, which are treated as unseen rows>"


def visits():
    """Return six visits of each of 20 patients, whose number tells who they are, and so whether they are sick."""
    random = np.random.default_rng(1)
    sick = random.integers(0, 2, 20)
    columns = {
        "who": [f"p{patient}" for patient in range(20) for _ in range(6)],
        "pulse": [float(10 * patient + visit) for patient in random.permutation(20) for visit in range(6)],
        "sick": [("no", "yes")[sick[patient]] for patient in range(20) for _ in range(6)],
    }
    return Table.of(columns, "sick")


@pytest.mark.parametrize("learner", [C45(), hedgerow.Ripper(), hedgerow.Simplest()], ids=lambda one: one.name)
def test_cards_keep_groups_together(learner):
    table = visits()
    who = np.asarray(table["who"])
    plain = learner.train(
        ignore_group_column(table, "who")
    )  # as `train --group` does: the notes of the model name the column
    alone = learner.train(table.select(["pulse", "sick"]))
    for model, more in [(alone, {"group": "who"}), (plain, {}), (None, {"group": "who"})]:
        for way in ({"folds": 4}, {"holdout": 0.25}):
            cards = rule_cards(model or learner, table, **way, **more)
            assert " by who" in cards.method
            assert "rows with the same 'who' stay together: 20 groups of 6 to 6 rows" in cards.notes
    (split,) = splits.holdout(table.codes(2), 0.75, groups=number_groups(table, "who"))
    assert not {*who[split.train].tolist()} & {*who[split.test].tolist()}
    if learner.name == "ripper":
        cards = rule_cards(plain, table, holdout=0.25)
        assert str(cards.model) == str(learner.train(ignore_group_column(table, "who").take(split.train)))


def test_groups_of_cards_that_are_not_there_are_sentences():
    with pytest.raises(UsageError, match=r"'who' keeps groups of rows together .* give holdout or folds"):
        rule_cards(C45().train(visits()), visits(), group="who")
    with pytest.raises(UsageError, match="there is no column 'whom' to group by"):
        rule_cards(C45(), visits(), folds=3, group="whom")
