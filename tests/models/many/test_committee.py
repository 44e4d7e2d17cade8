"""Committees: votes and means by definition, what they print, and files that hold a hundred members in a few arrays."""

import io
import json
import math
import random
import zipfile

import numpy as np
import pytest

from hedgerow import C45, AdaBoost, Bagging, Committee, Majority, ModelError, NaiveBayes, OneR, Table, examples
from hedgerow.models.base.array_pools import into_pools, out_of_pools
from hedgerow.models.base.constant import Constant
from hedgerow.models.files.archive import npy_header
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.many.committee import OutOfBag
from hedgerow.models.many.composite_text import MOST_SHOWN
from hedgerow.models.rules.rule_list import Rule, RuleList
from tests.cli.run import run
from tests.models.files.hostile import members, packed, with_array, with_manifest
from tests.models.files.test_fuzz import mutated_arrays, mutated_manifest, outcome
from tests.models.files.test_hostile import refused
from tests.textbook import loan_a, weather, weather_numeric

SCHEMA = Table.of({"x": ["u"], "y": ["a"]}, target="y", levels={"y": ["a", "b", "c"]}).schema
ROWS = Table.of({"x": ["u", None]})


def sure(*weights):
    return RuleList(SCHEMA, (), Rule((), weights))


def committee(*weights, votes=None, rule="vote"):
    return Committee(SCHEMA, tuple(sure(*one) for one in weights), votes or [1.0] * len(weights), rule)


def test_votes_count_by_weight():
    model = committee((3, 1, 0), (1, 2, 0), (0, 2, 1), votes=[2.5, 1, 1])
    assert model.distribution(ROWS)[0] == pytest.approx([2.5 / 4.5, 2 / 4.5, 0])
    assert model.predict(ROWS).tolist() == ["a", "a"]
    assert model.member_votes(ROWS).tolist() == [[0, 1, 1]] * 2


def test_averages_are_weighted_means():
    model = committee((3, 1, 0), (0, 1, 1), votes=[1, 3], rule="average")
    assert model.distribution(ROWS)[0] == pytest.approx([0.75 / 4, (0.25 + 1.5) / 4, 1.5 / 4])


def test_votes_and_averages_can_disagree():
    """G108: probabilities .6, .6, .1 vote for the class, their mean is 0.433."""
    three = [(6, 4, 0), (6, 4, 0), (1, 9, 0)]
    assert committee(*three).predict(ROWS)[0] == "a"
    mean = committee(*three, rule="average")
    assert mean.distribution(ROWS)[0, 0] == pytest.approx(0.433333, abs=1e-6)
    assert mean.predict(ROWS)[0] == "b"


def test_a_tie_goes_to_the_first_class():
    assert committee((0, 0, 1), (0, 1, 0)).predict(ROWS)[0] == "b"
    assert committee((0, 0, 1), (0, 1, 0), (0, 1, 0), votes=[0.3, 0.1, 0.2]).predict(ROWS)[0] == "b"


def test_an_infinite_vote_has_the_last_word():
    model = committee((1, 0, 0), (0, 1, 0), (0, 1, 0), votes=[math.inf, 1e300, 5])
    assert model.distribution(ROWS)[0].tolist() == [1, 0, 0]
    both = committee((1, 0, 0), (0, 1, 0), (0, 0, 1), votes=[math.inf, 7, math.inf])
    assert both.distribution(ROWS)[0].tolist() == [0.5, 0, 0.5]


def test_no_votes_at_all_are_equal_votes():
    assert committee((1, 0, 0), (0, 1, 0), votes=[0, 0]).distribution(ROWS)[0].tolist() == [0.5, 0.5, 0]


@pytest.mark.parametrize("vote", [1e308, 1.7e308, 5e-324, 1e-300])
@pytest.mark.parametrize("rule", ["vote", "average"])
def test_votes_beyond_what_can_be_summed_count_as_shares_of_the_largest(vote, rule):
    plain = committee((3, 1, 0), (0, 1, 1), (0, 1, 2), votes=[1.0] * 3, rule=rule)
    model = loads(dumps(committee((3, 1, 0), (0, 1, 1), (0, 1, 2), votes=[vote] * 3, rule=rule)))
    assert model.distribution(ROWS) == pytest.approx(plain.distribution(ROWS))
    assert str(model)


def test_no_rows():
    model = committee((1, 0, 0))
    assert model.distribution(Table.of({"x": []}, levels={"x": ["u"]})).shape == (0, 3)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Committee(SCHEMA, (), ()), "1 to 10,000 members, not 0"),
        (lambda: committee((1, 0, 0), votes=[1, 2]), "one vote per member"),
        (lambda: committee((1, 0, 0), votes=[-1]), "none of them below 0"),
        (lambda: committee((1, 0, 0), votes=[math.nan]), "none of them below 0"),
        (lambda: committee((1, 0, 0), rule="mean"), "must be 'vote', 'average', not 'mean'"),
        (lambda: Committee(SCHEMA, (Constant(SCHEMA, 1.0),), [1]), "member 0 of a committee is Constant"),
        (lambda: Committee(SCHEMA, (OneR().train(weather()),), [1]), "trained on other columns"),
        (lambda: Committee(weather().schema.with_target(None), (), ()), "target"),
        (lambda: Committee(SCHEMA, (sure(1, 0, 0),), [1], remarks=("a\nb",)), "printable sentences"),
        (lambda: Committee(SCHEMA, (sure(1, 0, 0),), [1], remarks=("a" * 500,)), "printable sentences"),
        (lambda: OutOfBag(1.5, 3.0), "an out-of-bag error cannot be"),
        (lambda: OutOfBag(math.nan, 3.0), "an out-of-bag error cannot be"),
        (lambda: committee((1, 0, 0)).member(1), "there is no member 1; the members are numbered 0 to 0"),
        (lambda: committee((1, 0, 0)).member(-1), "there is no member -1"),
    ],
)
def test_bad_committees_are_sentences(make, sentence):
    with pytest.raises(Exception, match=sentence) as caught:
        make()
    assert isinstance(caught.value, ValueError)


def nested(deep):
    model = sure(1, 2, 3)
    for _ in range(deep):
        model = Committee(SCHEMA, (model, sure(1, 0, 0)), [2, 1])
    return model


def test_committees_stand_three_deep_at_most():
    assert nested(3).nesting == 3
    assert loads(dumps(nested(3))) == nested(3)
    with pytest.raises(ModelError, match="nested at most 3 deep"):
        nested(4)


def test_the_print_is_a_summary():
    model = AdaBoost(base="one_r", n_estimators=3).train(loan_a())
    assert str(model) == (
        "A committee of 3 rule lists; each member casts its weighted vote for the class that it predicts\n\nmember  "
        "rules     vote\n     0      2  1.38629\n     1      3  1.94591\n     2      2  2.25129\n\nColumns, by the "
        "number of members that use them:\n  Has_Job 1, Own_House 1, Credit_Rating 1\n\nMembers are numbered 0 to 2; "
        "to print one: print(model.member(0)), or hedgerow show FILE --member 0"
    )
    assert model.member(0) == f"Member 0 of 3, vote 1.38629\n\n{model.members[0]}"
    assert list(model) == list(model.members)
    assert model.size == len(model) == 3
    assert model.columns_used() == ("Has_Job", "Own_House", "Credit_Rating")


def test_kinds_and_sizes_are_shown_where_they_tell_something():
    table = weather()
    mixed = Committee(table.schema, (OneR().train(table), NaiveBayes().train(table)), [1, 0.5])
    assert "member           kind  size  vote\n" in str(mixed)
    assert "     1  distributions     -   0.5" in str(mixed)
    alone = Committee(table.schema, (NaiveBayes().train(table),), [1])
    assert str(alone).startswith("A committee of 1 table of distributions\n\nColumns")
    assert str(alone).endswith("\nTo print one: print(model.member(0)), or hedgerow show FILE --member 0")
    assert "size" not in str(alone)
    one = OneR().train(table)
    many = Committee(table.schema, (one,) * (MOST_SHOWN + 5), [1] * MOST_SHOWN + [2] * 5)
    assert "\nand 5 more\n" in str(many)
    assert len(str(many).split("\n")) < 35
    none = Bagging(base="majority").train(table)
    assert "Columns" not in str(none)


def test_members_of_the_same_vote_share_a_line():
    table = loan_a()
    trees = [C45(prune="none", max_depth=depth).train(table) for depth in (0, 1, 2)]
    schema = trees[0].schema
    lines = str(Committee(schema, tuple(trees), [1, 1, 1], "average")).split("\n")
    assert lines[:2] == [
        "A committee of 3 trees; their distributions are averaged",
        "A tree has 1 to 3 leaves (mean 2)",
    ]
    alike = str(Committee(schema, (trees[2],) * 2, [0.5, 0.5]))
    assert alike.startswith(
        "A committee of 2 trees; each member has one vote\nEvery tree has 3 leaves\n\nColumns, by their share"
    )
    stumps = str(Committee(schema, (trees[0],) * 2, [1, 1]))
    assert stumps.startswith("A committee of 2 trees; each member has one vote\nEvery tree has 1 leaf\n")
    assert str(Committee(schema, (trees[2],), [math.inf])).startswith("A committee of 1 tree\nThe tree has 3 leaves\n")
    nested = Committee(schema, (Committee(schema, tuple(trees), [1, 1, 1]),) * 2, [1, 1])
    assert str(nested).startswith(
        "A committee of 2 committees; each member has one vote\nEvery committee has 3 members\n"
    )
    mixed = Committee(schema, (trees[0], NaiveBayes().train(table)), [1, 1])
    assert "\n     0           tree     1     1\n" in str(mixed)


def test_many_columns_are_cut_short_and_odd_names_quoted():
    names = [f"a column {i}" for i in range(30)]
    table = Table.of({**{name: ["u", "v"] for name in names}, "y": ["a", "b"]}, target="y")
    text = str(Committee(table.schema, (NaiveBayes().train(table),), [1]))
    assert '"a column 0" 1, ' in text
    assert "and 20 more" in text
    assert max(map(len, text.split("\n"))) <= 100


def test_votes_are_kept_as_they_print():
    model = committee((1, 0, 0), (0, 1, 0), votes=[math.log(7 / 3), 1 / 3])
    assert model.votes.tolist() == [0.847298, 0.333333]
    assert Committee(SCHEMA, model.members, model.votes).votes.tolist() == model.votes.tolist()


# -- files --------------------------------------------------------------------------------------------------------

BASES = ["one_r", "majority", "naive_bayes", NaiveBayes(density="kernel"), AdaBoost(n_estimators=2)]


@pytest.mark.parametrize("base", BASES, ids=str)
def test_files_bring_back_an_equal_model(base):
    table = weather_numeric()
    model = Bagging(base=base, n_estimators=4).train(table)
    again = loads(dumps(model))
    assert again == model
    assert again.about == model.about
    assert str(again) == str(model)
    assert [str(one) for one in again.members] == [str(one) for one in model.members]
    assert np.array_equal(again.distribution(table), model.distribution(table))
    assert dumps(again) == dumps(model)
    assert all(one.schema is again.schema for one in again.members)


@pytest.mark.parametrize("base", ["one_r", "naive_bayes", Bagging(n_estimators=3)], ids=str)
def test_many_members_are_few_arrays(base):
    model = Bagging(base=base, n_estimators=100).train(weather_numeric())
    with zipfile.ZipFile(io.BytesIO(dumps(model))) as archive:
        assert len(archive.namelist()) <= 6


def test_pools_are_undone():
    parts = [
        {"a": np.arange(3), "b": np.zeros((2, 0)), "c": [np.array([True]), None, "w", 1.5]},
        {"a": np.arange(4).reshape(2, 2), "b": np.ones((1, 2)), "c": []},
    ]
    head, pools = into_pools(parts)
    assert set(pools) == {"int64", "float64", "bool"}
    again = out_of_pools(json.loads(json.dumps(head)), pools)
    for one, other in zip(parts, again, strict=True):
        assert np.array_equal(one["a"], other["a"])
        assert one["b"].shape == other["b"].shape
    assert again[0]["c"][1:] == [None, "w", 1.5]
    with pytest.raises(ModelError, match="cannot be called 'pool'"):
        into_pools({"pool": 1})


MODEL = Bagging(n_estimators=3, base=OneR(min_bucket=2)).train(weather_numeric())


def changed(**parts):
    return with_manifest(MODEL, lambda m: m["parts"].update(parts))


def at(*path, value):
    """The file with one value of its parts changed."""

    def change(manifest):
        spot = manifest["parts"]
        for step in path[:-1]:
            spot = spot[step]
        if value is KeyError:
            del spot[path[-1]]
        else:
            spot[path[-1]] = value

    return with_manifest(MODEL, change)


def test_the_helpers_make_files_that_load():
    assert loads(with_manifest(MODEL, dict)) == MODEL
    assert loads(with_array(MODEL, "votes", MODEL.votes)) == MODEL


@pytest.mark.parametrize("part", ["members", "out_of_bag", "remarks", "rule", "votes", "pools"])
@pytest.mark.parametrize("value", [1, "x", True, [1.0], [[]], [{}], {}, {"array": "a0"}, {"kind": "rules"}, [None]])
def test_every_part_must_be_as_it_should(part, value):
    refused(changed(**{part: value}), "is not a valid hedgerow model file: ")


@pytest.mark.parametrize("part", ["members", "remarks", "rule", "votes", "pools"])
def test_every_part_is_needed(part):
    refused(at(part, value=None), "is not a valid hedgerow model file: ")
    refused(at(part, value=KeyError), "is not a valid hedgerow model file: ")
    refused(changed(more=1), "its parts are")


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (("members", 0, "kind"), "constant", "which predicts no classes"),
        (("members", 0, "kind"), "cuts", "which predicts no classes"),
        (("members", 0, "kind"), "os.system", "which predicts no classes"),
        (("members", 0, "kind"), ["rules"], "which predicts no classes"),
        (("members", 0, "kind"), None, "which predicts no classes"),
        (("members", 0, "kind"), "committee", "its parts are"),
        (("members", 0, "kind"), "distributions", "its parts are"),
        (("members", 0, "kind"), KeyError, "its parts are"),
        (("members", 0, "more"), 1, "its parts are"),
        (("members", 0, "parts"), None, "is not a valid hedgerow model file"),
        (("members", 0, "parts"), [], "is not a valid hedgerow model file"),
        (("members", 0, "parts"), "abc", "is not a valid hedgerow model file"),
        (("members", 0, "parts", "weights"), KeyError, "that do not belong to any part"),
        (("members", 0, "parts", "weights"), 3, "that do not belong to any part"),
        (("members", 0, "parts", "weights", "pool"), "int32", "is not a valid hedgerow model file"),
        (("members", 0, "parts", "weights", "pool"), "float32", "larger than the stored numbers"),
        (("members", 0, "parts", "weights", "pool"), 3, "a valid position in a pool"),
        (("members", 0, "parts", "weights", "pool"), ["float64"], "a valid position in a pool"),
        (("members", 0, "parts", "weights", "more"), 1, "a valid position in a pool"),
        (("members", 0, "parts", "weights", "shape"), [2**31], "an invalid shape"),
        (("members", 0, "parts", "weights", "shape"), [2**30, 2**30], "larger than the stored numbers"),
        (("members", 0, "parts", "weights", "shape"), [-1], "an invalid shape"),
        (("members", 0, "parts", "weights", "shape"), [True], "an invalid shape"),
        (("members", 0, "parts", "weights", "shape"), [1.0], "an invalid shape"),
        (("members", 0, "parts", "weights", "shape"), [0] * 100, "an invalid shape"),
        (("members", 0, "parts", "weights", "shape"), "3", "a valid position in a pool"),
        (("members", 0, "parts", "weights", "shape"), KeyError, "a valid position in a pool"),
        (("members", 0), KeyError, "that do not belong to any part"),
        (("out_of_bag",), [0.5], "two numbers, or none"),
        (("out_of_bag",), [0.5, "x"], "two numbers, or none"),
        (("out_of_bag",), [2.0, 3.0], "an out-of-bag error cannot be"),
        (("out_of_bag",), [-0.5, 3.0], "an out-of-bag error cannot be"),
        (("out_of_bag",), [0.5, {"number": "inf"}], "an out-of-bag error cannot be"),
        (("out_of_bag",), [{"number": "nan"}, 3.0], "an out-of-bag error cannot be"),
        (("rule",), "mean", "must be"),
        (("remarks",), ["\u001b[2J"], "printable sentences"),
        (("remarks",), ["x"] * 21, "printable sentences"),
        (("remarks",), [3], "a list of sentences"),
    ],
)  # fmt: skip
def test_values_out_of_range(path, value, sentence):
    refused(at(*path, value=value), sentence)


def with_pool(name, array):
    """The file with another array as one of its pools."""
    (first, manifest), *arrays = members(dumps(MODEL))
    values = json.loads(manifest)
    entry = values["parts"]["pools"][name]
    entry |= {"dtype": array.dtype.name, "shape": list(array.shape)}
    number = int(entry["array"][1:])
    arrays[number] = (arrays[number][0], npy_header(array.dtype.name, array.shape) + array.tobytes())
    return packed([(first, json.dumps(values).encode()), *arrays])


def test_pools_must_be_flat_of_their_type_and_used_up():
    pool = MODEL.to_dict()["pools"]["float64"]
    assert loads(with_pool("float64", pool)) == MODEL
    refused(with_pool("float64", pool.astype(np.int64)), "must be a flat array of float64")
    refused(with_pool("float64", pool[None]), "must be a flat array of float64")
    refused(with_pool("float64", pool[:-1].copy()), "larger than the stored numbers")
    refused(with_pool("float64", np.append(pool, 1.0)), "that do not belong to any part")
    refused(with_pool("float64", np.full_like(pool, np.nan)), "is not a valid hedgerow model file")


def test_votes_in_files_are_checked():
    refused(with_array(MODEL, "votes", np.array([1.0, 1.0])), "which does not match the others")
    refused(with_array(MODEL, "votes", np.array([1.0, -1.0, 1.0])), "none of them below 0")
    refused(with_array(MODEL, "votes", np.array([1.0, np.nan, 1.0])), "none of them below 0")
    refused(with_array(MODEL, "votes", np.array([1, 1, 1])), "holds int64 instead of float64")
    endless = loads(with_array(MODEL, "votes", np.array([1.0, np.inf, 1.0])))
    assert (endless.decide(weather_numeric()) == MODEL.members[1].decide(weather_numeric())).all()


def test_deeply_nested_committees_in_a_file_are_refused():
    def deepen(manifest):
        parts = manifest["parts"]
        inner = {name: parts[name] for name in ("members", "out_of_bag", "remarks", "rule")}
        inner["votes"] = {"pool": "float64", "shape": [3]}
        for _ in range(3):
            inner = {"members": [{"kind": "committee", "parts": inner}], "out_of_bag": None, "remarks": [],
                     "rule": "vote", "votes": {"pool": "float64", "shape": [1]}}  # fmt: skip
        parts["members"] = inner["members"]

    refused(with_manifest(MODEL, deepen), "is not a valid hedgerow model file: ")


def test_a_crowd_in_a_file_is_refused():
    parts = {**MODEL.to_dict(), "members": [{"kind": "rules", "parts": {}}] * 10_001, "pools": {}}
    with pytest.raises(ModelError, match="a list of at most 10,000"):
        Committee.from_dict(parts, MODEL.schema, MODEL.about)


def test_a_member_with_too_few_parts_is_refused():
    parts = MODEL.to_dict()
    for value, sentence in [({}, "its parts are"), ({"weights": 3}, "its parts are"), ("abc", "with named values")]:
        one = {**parts, "members": [{"kind": "rules", "parts": value}] * 3, "pools": {}}
        with pytest.raises(ModelError, match=sentence):
            Committee.from_dict(one, MODEL.schema, MODEL.about)


def test_a_crowd_that_tests_a_wide_column_shares_its_levels():
    """A small file must not become a dictionary of all levels a member."""
    levels = [f"level {i}" for i in range(20_000)]
    table = Table.of({"x": levels[:40], "y": ["a", "b"] * 20}, target="y", levels={"x": levels})
    model = Bagging(base="one_r", n_estimators=3).train(table)
    assert all(one._codes["x"] is model.members[0]._codes["x"] for one in model.members)
    again = loads(dumps(model))
    assert all(one._codes["x"] is again.members[0]._codes["x"] for one in again.members)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_changed_meaning_under_a_right_checksum_is_survived():
    chance, loaded = random.Random(4), 0
    (name, manifest), *arrays = members(dumps(MODEL))
    for _ in range(1500):
        text = mutated_manifest(manifest, chance) if chance.random() < 0.7 else manifest
        rest = mutated_arrays(arrays, chance) if chance.random() < 0.5 else arrays
        model = outcome(packed([(name, text), *rest]))
        if model is not None:
            loaded += 1
            assert loads(dumps(model)) == model
            assert str(model)
            if model.schema.names == MODEL.schema.names:
                model.scores(model.align(weather_numeric().slice(0, 0)))
    assert loaded > 20


# -- the command line ---------------------------------------------------------------------------------------------


def written(folder):
    (folder / "loan.csv").write_text(examples.loan_csv())
    return folder / "loan.csv"


def test_train_show_and_predict(tmp_path):
    data, file = written(tmp_path), tmp_path / "m.hedge"
    ran = run("train", data, "-l", "bagging", "--base", "one_r", "--base-min-bucket", "3", "--no-replace",
              "--max-samples", "0.5", "--folds", "2", "-o", file)  # fmt: skip
    assert ran.status == 0, ran.err
    assert "base=OneR(min_bucket=3.0), max_samples=0.5, replace=False" in ran.out
    assert "Out-of-bag error" in ran.out
    shown = run("show", file, "--member", "4")
    assert "Member 4 of 10, vote 1\n\nif " in shown.out
    assert run("predict", file, data).out.count("\n") == 16
    assert run("show", file, "--member", "10").err == (
        "hedgerow: there is no member 10; the members are numbered 0 to 9\n"
    )


def test_members_of_other_models_are_refused(tmp_path):
    file = tmp_path / "m.hedge"
    Majority().train(weather()).save(file)
    ran = run("show", file, "--member", "0")
    assert ran.status == 2
    assert "holds a model of kind 'rules', which has no members" in ran.err


def test_a_base_of_a_base(tmp_path):
    ran = run("crossval", written(tmp_path), "-l", "adaboost", "--base", "bagging", "--base-base", "naive_bayes",
              "--base-base-alpha=2", "--base-n-estimators", "2", "--n-estimators", "2", "--folds", "2")  # fmt: skip
    assert ran.status == 0, ran.err
    assert "base=Bagging(base=NaiveBayes(alpha=2.0), n_estimators=2), n_estimators=2" in ran.out
    assert "base__" not in ran.out


def test_json_names_the_base(tmp_path):
    options = ("-l", "adaboost", "--base", "naive_bayes", "--base-alpha", "2", "--folds", "2", "--json")
    report = json.loads(run("crossval", written(tmp_path), *options).out)
    assert report["parameters"]["base"] == "NaiveBayes(alpha=2.0)"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--base", "nope"], "there is no learner 'nope'"),
        (["--base", "mean"], "base='mean' is not allowed: it must predict classes"),
        (["--base-min-bucket", "-3"], "base__min_bucket=-3.0 is not allowed: it must be a number above 0"),
        (["--base", "one_r", "--base-min-bucket", "x"], "base__min_bucket cannot be 'x'"),
        (["--base", "naive_bayes", "--base-min-bucket", "3"], "No such option"),
        (["--base"], "requires an argument"),
        (["--n-estimators", "0"], "n_estimators=0 is not allowed"),
        (["--stream"], "cannot be trained on a stream"),
    ],
)
def test_bad_options_are_sentences(tmp_path, options, sentence):
    if options[0] == "--base-min-bucket":
        options = ["--base", "one_r", *options]
    ran = run("train", written(tmp_path), "-l", "bagging", *options)
    assert ran.status == 2
    assert sentence in ran.err
    assert "Traceback" not in ran.err


def test_help_lists_the_options_of_the_base(tmp_path):
    ran = run("train", written(tmp_path), "-l", "bagging", "--base", "naive_bayes", "--help")
    assert "--base-alpha REAL" in ran.out
