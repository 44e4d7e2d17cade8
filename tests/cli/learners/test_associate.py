"""hedgerow associate: a first look, bounds, roles, files, recommendations, budgets, and sentences for bad input."""

import csv
import io
import json

import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest

import hedgerow
from tests.cli.run import run


@pytest.fixture(autouse=True)
def shop(folder):
    (folder / "groceries.csv").write_text(hedgerow.examples.groceries_csv())
    return folder


def done(*arguments, **how):
    ran = run("associate", *arguments, **how)
    assert ran.status == 0, ran.err
    return ran.out


def failed(status, *arguments, **how):
    ran = run("associate", *arguments, **how)
    assert ran.status == status, (ran.status, ran.out, ran.err)
    assert ran.err.count("\n") == 1, ran.err  # one sentence
    return ran.err


def report(*arguments, **how):
    return json.loads(done(*arguments, "--json", **how))


def rules_of(told):
    return {rule["rule"] for rule in told["rules"]}


# -- a first look ------------------------------------------------------------------------------------------------------


def test_with_nothing_else_a_basket_file_gives_some_rules():
    ran = run("associate", "groceries.csv")
    assert ran.status == 0
    assert ran.out.startswith("groceries.csv: 20 baskets, 15 items\n")
    assert "The support was lowered" in ran.out
    assert "{crisps} => {beer}" in ran.out
    assert "add -o FILE" in ran.err


def test_a_table_gives_some_rules_too():
    told = report("loan.csv")
    assert told["unit"] == "row"
    assert told["n_rules"] >= 10
    assert "{Own_House=true} => {Class=Yes}" in rules_of(told)
    assert not any("ID" in rule for rule in rules_of(told))  # an identifier


def test_what_is_searched_is_told_by_size():
    out = done("groceries.csv", "--min-count", "3", "--min-confidence", "0.75")
    assert "21 item sets occur in 3 baskets (15 %) or more: 11 of one item, 9 of two and 1 of three." in out
    assert "confidence 75 % or more" in out


# -- bounds and roles --------------------------------------------------------------------------------------------------


def test_support_and_count_say_the_same():
    by_share = report("groceries.csv", "--min-support", "0.15", "--min-confidence", "0.7")
    by_count = report("groceries.csv", "--min-count", "3", "--min-confidence", "0.7")
    assert by_share["rules"] == by_count["rules"]
    assert by_share["bound"] == 3


def test_rules_about_one_thing():
    told = report("loan.csv", "--consequent", "Class", "--min-support", "0.2", "--min-confidence", "0.9")
    assert told["rules"]
    assert all(rule["consequent"][0].startswith("Class=") and len(rule["consequent"]) == 1 for rule in told["rules"])
    told = report("groceries.csv", "--antecedent", "milk,butter", "--min-count", "2", "--min-confidence", "0.3")
    assert all(set(rule["antecedent"]) <= {"milk", "butter"} for rule in told["rules"])


def test_the_best_by_a_measure():
    told = report("groceries.csv", "--min-count", "2", "--min-confidence", "0.5", "--top", "3", "--by", "lift")
    everything = report("groceries.csv", "--min-count", "2", "--min-confidence", "0.5")
    assert len(told["rules"]) == 3
    assert told["by"] == "lift"
    assert told["rules"][0]["lift"] == max(rule["lift"] for rule in everything["rules"])
    assert ", sorted by lift, highest first" in done("groceries.csv", "--min-count", "2", "--by", "lift")


def test_enough_rules():
    told = report("groceries.csv", "--enough", "3", "--min-confidence", "0.9")
    assert told["n_rules"] >= 3
    assert told["enough"] == 3
    assert len(told["levels"]) > 1
    assert [one["support"] for one in told["levels"]] == sorted(
        (one["support"] for one in told["levels"]), reverse=True
    )


# -- item sets ---------------------------------------------------------------------------------------------------------


def test_only_sets():
    told = report("groceries.csv", "--only-sets", "--min-count", "3")
    assert told["kind"] == "item_sets"
    assert told["n_sets"] == len(told["sets"]) == 21
    assert {"set": "{bread, butter}", "items": ["bread", "butter"], "size": 2, "count": 6, "support": 0.3} in told[
        "sets"
    ]
    out = done("groceries.csv", "--only-sets", "--min-count", "3")
    assert out.index("{milk}") < out.index("{bread}")  # the most frequent first


@pytest.mark.parametrize(("which", "n"), [("closed", 21), ("maximal", 11)])
def test_closed_and_maximal_sets(which, n):
    told = report("groceries.csv", "--sets", which, "--min-count", "2")
    table = hedgerow.examples.groceries()
    assert told["n_sets"] == len(hedgerow.mine(table, min_count=2, sets=which))
    assert f"{which} item sets occur in 2 baskets" in done("groceries.csv", "--sets", which, "--min-count", "2")


def test_long_results_are_cut_short_and_say_so():
    out = done("groceries.csv", "--min-count", "1", "--min-confidence", "0.1", "--show", "5")
    assert "more rules not shown; -o FILE saves them all" in out
    assert out.count(" => ") == 5
    assert "more rules" not in done("groceries.csv", "--min-count", "2", "--min-confidence", "0.1", "--show", "0")


# -- forms of data -----------------------------------------------------------------------------------------------------


def test_pairs_of_an_id_and_an_item(shop):
    (shop / "sales.csv").write_text("receipt,article\n1,a\n2,a\n1,b\n2,b\n3,a\n")
    told = report("sales.csv", "--id", "receipt", "--item", "article", "--min-count", "2", "--min-confidence", "0.9")
    assert rules_of(told) == {"{b} => {a}"}
    assert (told["rows"], told["unit"]) == (3, "basket")


@pytest.mark.parametrize(
    ("name", "text", "more"),
    [
        ("a.dat", "x y\nx y z\n\nx\n", ()),
        ("a.csv", "x,y\nx,y,z\nx\n", ()),
        ("a.txt", "x;y\nx;y;z\nx\n", ()),
        ("a.csv", "x,y\nx,y\n", ("--format", "basket")),
        ("a.arff", "@relation r\n@attribute x {t}\n@attribute y {t}\n@data\nt,t\nt,t\nt,?\n", ()),
        ("a.csv", "x,y\n1,1\n1,1\n1,0\n", ()),
        ("a.csv", "x,y\ntrue,true\ntrue,true\ntrue,false\n", ()),
    ],
)
def test_all_forms_of_baskets(shop, name, text, more):
    (shop / name).write_text(text)
    told = report(name, "--min-count", "2", "--min-confidence", "0.9", *more)
    assert {rule.replace("=t", "") for rule in rules_of(told)} >= {"{y} => {x}"}


def test_standard_input():
    told = report("-", "--format", "basket", "--min-count", "2", "--min-confidence", "0.9", stdin="a,b\na,b\na\n")
    assert rules_of(told) == {"{b} => {a}"}


def test_words_that_are_no_items():
    told = report("loan.csv", "--absent", "false,No", "--min-support", "0.1", "--only-sets")
    assert not any(item.endswith(("=false", "=No")) for one in told["sets"] for item in one["items"])


def test_numbers_are_cut_and_said_so(shop):
    (shop / "n.csv").write_text("x,y\n" + "".join(f"{i},{'ab'[i > 4]}\n" for i in range(10)))
    told = report("n.csv", "--min-support", "0.3", "--bins", "2", "--keep", "x")
    assert any("discretized into 2 intervals" in note for note in told["notes"])
    assert "{x<=4.5} => {y=a}" in rules_of(told)


# -- files -------------------------------------------------------------------------------------------------------------

SMALL = ("groceries.csv", "--min-count", "3", "--min-confidence", "0.75")


@pytest.mark.parametrize("ending", ["hedge", "json"])
def test_saved_rules_are_shown_again(shop, ending):
    out = done(*SMALL, "-o", f"r.{ending}")
    assert f"The rules are saved in r.{ending}." in out
    loaded = hedgerow.load(shop / f"r.{ending}")
    shown = run("show", f"r.{ending}")
    assert shown.status == 0
    assert "{crisps} => {beer}" in shown.out
    assert len(loaded) == report(*SMALL)["n_rules"]


@pytest.mark.parametrize("ending", ["hedge", "json"])
def test_saved_item_sets_are_shown_again(ending):
    done("groceries.csv", "--only-sets", "--min-count", "3", "-o", f"s.{ending}")
    shown = run("show", f"s.{ending}")
    assert shown.status == 0
    assert "{bread, butter}  # support 30 %, count 6" in shown.out


def test_tables_of_rules(shop):
    told = report(*SMALL)
    for ending in ("csv", "arrow", "parquet"):
        done(*SMALL, "-o", f"r.{ending}")
    rows = list(csv.DictReader(io.StringIO((shop / "r.csv").read_text())))
    assert len(rows) == told["n_rules"]
    assert rows[0]["antecedent"] == "{" + ", ".join(told["rules"][0]["antecedent"]) + "}"
    for table in (feather.read_table(shop / "r.arrow"), parquet.read_table(shop / "r.parquet")):
        assert table.column("antecedent").to_pylist() == [rule["antecedent"] for rule in told["rules"]]
        assert table.column("lift").to_pylist() == pytest.approx([rule["lift"] for rule in told["rules"]])


def test_tables_of_item_sets(shop):
    for ending in ("csv", "arrow", "parquet"):
        done("groceries.csv", "--only-sets", "--min-count", "5", "-o", f"s.{ending}")
    assert "{bread, butter}" in (shop / "s.csv").read_text()
    assert ["bread", "butter"] in parquet.read_table(shop / "s.parquet").column("items").to_pylist()


def test_output_that_cannot_be(shop):
    assert "must end in one of" in failed(2, *SMALL, "-o", "r.xlsx")
    assert "standard output" in failed(2, *SMALL, "-o", "-")
    assert "cannot be written" in failed(1, *SMALL, "-o", "nowhere/r.csv")
    assert not list(shop.glob("r.*"))


# -- recommendations ---------------------------------------------------------------------------------------------------


def test_what_to_offer(shop):
    done("groceries.csv", "--min-count", "2", "--min-confidence", "0.5", "-o", "r.json")
    (shop / "cart.dat").write_text("butter milk\nbeer\ntofu\n")
    out = done("r.json", "--recommend", "cart.dat")
    assert "no rule applies" in out
    told = report("r.json", "--recommend", "cart.dat")
    assert (told["n_baskets"], told["served"]) == (3, 2)
    first, second, third = told["baskets"]
    assert first["items"] == "butter, milk"
    assert not {"butter", "milk"} & {offer["item"] for offer in first["offers"]}
    assert second["offers"][0]["item"] == "crisps"
    assert third["offers"] == []


@pytest.mark.parametrize("text", ["butter,milk\nbeer,eggs\n", "butter,milk,beer\n1,1,0\n0,0,1\n", "butter\nbeer\n"])
def test_baskets_that_look_like_a_table(shop, text):
    done("groceries.csv", "--min-count", "2", "--min-confidence", "0.5", "-o", "r.json")
    (shop / "cart.csv").write_text(text)
    told = report("r.json", "--recommend", "cart.csv")
    assert (told["n_baskets"], told["served"]) == (2, 2)


def test_recommending_needs_rules(shop):
    done("groceries.csv", "--only-sets", "--min-count", "3", "-o", "s.hedge")
    (shop / "cart.dat").write_text("butter\n")
    assert "item sets" in failed(2, "s.hedge", "--recommend", "cart.dat")
    hedgerow.OneR().train(hedgerow.examples.loan()).save("m.hedge")
    assert "no association rules" in failed(2, "m.hedge", "--recommend", "cart.dat")
    done(*SMALL, "-o", "r.hedge")
    assert "there is no file absent.dat" in failed(1, "r.hedge", "--recommend", "absent.dat")


def test_saved_rules_are_no_data():
    done(*SMALL, "-o", "r.hedge")
    assert "hedgerow show r.hedge" in failed(2, "r.hedge")


def test_other_verbs_know_what_associations_are(shop):
    done(*SMALL, "-o", "r.hedge")
    done(*SMALL[:3], "--only-sets", "-o", "s.hedge")
    for verb in ("test", "predict"):
        told = run(verb, "r.hedge", "loan.csv")
        assert (told.status, "--recommend" in told.err) == (2, True)
        told = run(verb, "s.hedge", "loan.csv")
        assert (told.status, "item sets" in told.err) == (2, True)
    assert "hedgerow show FILE" in run("rules", "r.hedge").err
    assert "associate" in run("train", "loan.csv", "--learner", "apriori").err
    for name in ("r", "s"):
        assert run("report", f"{name}.hedge", "-o", f"{name}.html").status == 0
        assert "bread" in (shop / f"{name}.html").read_text()
    assert run("report", "r.hedge").out.startswith("20 baskets, 15 items")


# -- work --------------------------------------------------------------------------------------------------------------


def test_the_work_is_shown():
    out = done("groceries.csv", "--min-count", "3", "--min-confidence", "0.75", "--show-work")
    assert out.startswith("Work\n")


# -- budgets -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def one_large(shop):
    rows = ["a,b,c"] * 3 + [",".join(f"i{number}" for number in range(5000))]
    (shop / "large.csv").write_text("\n".join(rows) + "\n")


@pytest.mark.usefixtures("one_large")
def test_one_basket_of_5000_items():
    told = report("large.csv", "--min-count", "2", "--min-confidence", "0.9")
    assert (told["rows"], told["n_items"], told["n_sets"]) == (4, 5003, 7)
    told = report("large.csv", "--min-count", "1", "--only-sets", "--memory", "50M", "--time", "20s")
    assert told["bound"] > 1
    assert told["ended"]
    assert told["n_sets"] == 7


@pytest.mark.usefixtures("one_large")
def test_a_first_look_at_one_basket_of_5000_items_ends():
    assert report("large.csv")["n_rules"] >= 1


def test_budgets_are_told_plainly(shop):
    (shop / "dense.csv").write_text("\n".join(",".join(f"i{n}" for n in range(40) if n != row) for row in range(40)))
    ran = run("associate", "dense.csv", "--min-count", "20", "--memory", "1M", "--max-length", "6")
    assert ran.status == 0
    assert "the memory limit was reached" in ran.out


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("support", ["0", "1.5", "-0.1", "nan", "much"])
def test_supports_that_cannot_be(support):
    assert "min_support" in failed(2, "groceries.csv", "--min-support", support)


def test_calls_that_cannot_be():
    assert "min_count" in failed(2, "groceries.csv", "--min-count", "0")
    assert "twice" in failed(2, "groceries.csv", "--min-count", "2", "--min-support", "0.1")
    assert "by" in failed(2, "groceries.csv", "--by", "beauty")
    assert "memory" in failed(2, "groceries.csv", "--memory", "lots")
    assert "time" in failed(2, "groceries.csv", "--time", "0")
    assert "belong together" in failed(2, "loan.csv", "--id", "ID")


def test_unknown_items_are_named():
    message = failed(1, "groceries.csv", "--consequent", "mlik")
    assert "'mlik'" in message
    assert "did you mean 'milk'?" in message


@pytest.mark.parametrize(("name", "text"), [("e.csv", ""), ("e.dat", ""), ("e.basket", "\n\n")])
def test_empty_files_are_a_sentence(shop, name, text):
    (shop / name).write_text(text)
    failed(1, name)


def test_absent_files_are_a_sentence():
    assert "there is no file absent.csv" in failed(1, "absent.csv")


def test_odd_names_of_items(shop):
    (shop / "odd.csv").write_text('"salt, sea","say ""hi""",{x}\n"salt, sea","say ""hi"""\n"a=b","# c",=>\n')
    told = report("odd.csv", "--min-count", "2", "--min-confidence", "0.9", "-o", "odd.json")
    [first, second] = told["rules"]
    assert {*first["antecedent"], *first["consequent"]} == {"salt, sea", 'say "hi"'}
    loaded = hedgerow.load(shop / "odd.json")
    assert str(hedgerow.AssociationRules.parse(str(loaded))) == str(loaded)
    assert second["count"] == 2


def test_repeated_items_count_once(shop):
    (shop / "twice.dat").write_text("a a b\na b b b\na\n")
    told = report("twice.dat", "--only-sets", "--min-count", "1")
    assert {one["set"]: one["count"] for one in told["sets"]} == {"{a}": 3, "{b}": 2, "{a, b}": 2}


def test_rows_in_which_all_is_missing(shop):
    (shop / "none.csv").write_text("x,y\n?,?\n?,?\n")
    ran = run("associate", "none.csv")
    assert ran.status in (0, 1)
    assert "Traceback" not in ran.err
    (shop / "some.csv").write_text("x,y\na,b\n?,?\na,b\n")
    told = report("some.csv", "--min-support", "0.5", "--only-sets")
    assert told["rows"] == 3
    assert [one["count"] for one in told["sets"]] == [2, 2, 2]


def test_no_rules_is_an_answer():
    out = done("groceries.csv", "--min-support", "0.9")
    assert "No item set occurs in 18 baskets (90 %) or more." in out
    out = done("groceries.csv", "--min-support", "0.3", "--min-confidence", "1")
    assert "no rule" in out


def test_odd_names_in_tables_of_rules(shop):
    (shop / "odd.csv").write_text('"salt, sea","say ""hi"""\n"salt, sea","say ""hi"""\nx\n')
    done("odd.csv", "--min-count", "2", "-o", "r.csv")
    rows = list(csv.DictReader(io.StringIO((shop / "r.csv").read_text())))
    assert {row["antecedent"] for row in rows} == {'{"salt, sea"}', '{"say \\"hi\\""}'}
    done("odd.csv", "--min-count", "2", "-o", "r.parquet")
    assert ["salt, sea"] in parquet.read_table(shop / "r.parquet").column("antecedent").to_pylist()


def test_rules_of_baskets_are_not_used_on_a_table_of_something_else(tmp_path) -> None:
    rules, table = tmp_path / "rules.json", tmp_path / "loan.csv"
    hedgerow.association_rules(hedgerow.mine(hedgerow.examples.groceries(), min_count=3)).save(str(rules))
    table.write_text("Age,Job,Class\nyoung,no,No\nold,yes,Yes\nold,no,Yes\n", encoding="utf-8")
    assert "no item that the model knows" in failed(1, str(rules), "--recommend", str(table))
