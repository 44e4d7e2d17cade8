"""hedgerow cluster: clusters are printed, evaluated, described, plotted, written and saved."""

import json

import pytest

import hedgerow
from tests.cli.run import run
from tests.learn.clusters.plain_clusterer import registered  # noqa: F401

ROWS = """größe,Farbe,art
1,rot,a
2,rot,a
1.5,,a
9,blau,b
10,blau,b
,blau,b
9.5,blau,
"""


@pytest.fixture
def rows(tmp_path, monkeypatch, registered):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(ROWS)
    return tmp_path


def cluster(*words):
    return run("cluster", "rows.csv", "-l", "plain_clusterer", "--k", 2, *words)


def test_clusters_are_printed_with_their_figures(rows):
    done = cluster("--class", "art")
    assert done.status == 0, done.err
    assert "plain_clusterer for cluster: trained on 7 rows, size 2" in done.out
    assert "cluster 1: 4 rows (57.1 %)" in done.out
    assert "typical: größe 9.5 ± 0.408, Farbe=blau 100 %" in done.out
    assert "Farbe=blau more often (100 %; others 0 %)" in done.out
    assert "Quality of the clusters" in done.out
    assert "Clusters and classes of art" in done.out
    assert "error of majority classes    0.0000" in done.out
    assert "1 of 7 rows have no 'art'" in done.out


def test_without_a_class_all_columns_count(rows):
    done = cluster("--no-class", "-o", "m.hedge")
    assert "art=b" in done.out
    assert "Clusters and classes" not in done.out
    assert "choose one of --class and --no-class" in cluster("--no-class", "--class", "art").err
    report = run("report", "m.hedge", "rows.csv").out
    assert "Clusters and classes" not in report
    assert "column 'art' is not compared with the clusters, since they were found by it" in report


def test_a_nominal_last_column_is_the_class(rows):
    done, named = cluster(), cluster("--class", "art")
    note = "column 'art' is not used for clustering, but compared with the clusters; --no-class uses it as well"
    assert note in " ".join(done.out.split())
    assert note not in " ".join(named.out.split())
    assert done.out.partition("Note")[0] == named.out.partition("Note")[0]
    assert "Clusters and classes of art" in done.out


def test_a_last_column_of_numbers_is_used(rows):
    (rows / "rows.csv").write_text("x,y\n1,2.5\n2,2.5\n9,8\n8,8.5\n")
    done = cluster("-o", "m.hedge")
    assert ", y " in done.out
    assert "not compared" not in run("report", "m.hedge", "rows.csv").out


def test_labels_go_to_a_file_alone_or_beside_the_data(rows):
    done = cluster("--class", "art", "--out", "labels.csv")
    assert "the the clusters of the rows are in labels.csv" in done.err
    assert (rows / "labels.csv").read_text().split() == ["cluster", "2", "2", "2", "1", "1", "1", "1"]
    cluster("--class", "art", "--out", "labels.csv", "--with-data")
    lines = (rows / "labels.csv").read_text().split("\n")
    assert lines[:2] == ["größe,Farbe,art,cluster", "1,rot,a,2"]


def test_labels_to_standard_output_stand_alone(rows):
    assert cluster("--out", "-", "-q").out.split()[0] == "cluster"


def test_a_saved_model_places_new_rows(rows):
    cluster("--class", "art", "-o", "m.hedge")
    (rows / "new.csv").write_text("größe,Farbe\n1,rot\n,blau\n,grün\n")
    done = run("predict", "m.hedge", "new.csv")
    assert done.status == 0, done.err
    assert [line.split(",")[0] for line in done.out.split()[:3]] == ["predicted", ["cluster", "P(1)", "P(2)"][0], "2"]
    assert "2 plain clusters" in run("show", "m.hedge").out


@pytest.mark.parametrize(("form", "learner"), [("tree", "c45"), ("rules", "ripper")])
def test_clusters_are_described(rows, form, learner):
    done = cluster("--describe", form)
    assert f"Description of the clusters: {learner}" in done.out


def test_clusters_are_drawn(rows):
    done = cluster("--plot", "rows.svg", "--class", "art")
    assert "the picture is in rows.svg" in done.err
    picture = (rows / "rows.svg").read_text()
    assert "component 1 (" in picture
    assert "Farbe=" in picture


def test_json(rows):
    told = json.loads(cluster("--class", "art", "--json", "--describe", "tree", "-o", "m.hedge").out)
    assert told["report"] == "clusters"
    assert [one["rows"] for one in told["figures"]["clusters"]] == [4, 3]
    assert told["against"]["table"] == [[0, 3], [3, 0]]
    assert told["against"]["matched"] == ["b", "a"]
    assert told["description"]["model"]["learner"] == "c45"
    assert told["model"]["file"] == "m.hedge"


def test_equal_rows_and_one_row(rows):
    for text in ("x,y\n1,a\n", "x,y\n1,a\n1,a\n"):
        (rows / "rows.csv").write_text(text)
        done = cluster("--plot", "p.svg", "--describe", "tree")
        assert done.status == 0, done.err
        assert "there is only one row, or all are the same: 1 cluster instead of 2" in done.out
        assert "silhouette" in done.out


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (["--class", "arten"], 1, "'arten'"),
        (["--class", "größe"], 1, "not classes to compare clusters with"),
        (["--with-data"], 2, "also name the file, as in --out labels.csv"),
        (["-o", "-"], 2, "cannot go to standard output"),
        (["--out", "-", "--json"], 2, "cannot both go to standard output"),
        (["--plot", "p.txt"], 2, "must end in .svg, .png or .pdf"),
        (["--describe", "poem"], 2, "poem"),
        (["--out", "nowhere/labels.csv"], 1, "nowhere/labels.csv"),
        (["--stream", "--plot", "p.svg"], 2, "leave out --stream"),
        (["--show-work"], 2, "has no intermediate steps to show"),
        (["--stream"], 2, "cannot be trained on a stream"),
    ],
)
def test_bad_calls_are_sentences(rows, words, status, sentence):
    done = cluster(*words)
    assert done.status == status, done.out + done.err
    assert sentence in done.err


def test_a_classifier_finds_no_clusters_and_a_clusterer_does_not_predict(rows):
    done = run("cluster", "rows.csv", "-l", "c45")
    assert done.status == 2
    assert "'c45' does not find clusters; --learner takes" in done.err
    done = run("train", "rows.csv", "-l", "plain_clusterer")
    assert done.status == 2
    assert "its clusters are found with hedgerow cluster DATA --learner plain_clusterer" in done.err


def test_an_empty_table_is_a_sentence(rows):
    (rows / "rows.csv").write_text("x,y\n")
    done = cluster()
    assert done.status == 1
    assert "no data rows" in done.err


def test_texts_are_clustered(rows):
    lines = [
        "note",
        *(f'"{text}"' for text in ["goal team goal match", "team goal", "orbit rocket", "rocket orbit moon"]),
    ]
    (rows / "rows.csv").write_text("\n".join(lines) + "\n")
    done = cluster("--text", "note", "--plot", "p.svg")
    assert done.status == 0, done.err
    assert "note: " in done.out


def test_in_python(rows):
    table = hedgerow.read("rows.csv", target="art")
    from tests.learn.clusters.plain_clusterer import PlainClusterer

    model = PlainClusterer(k=2).train(table)
    figures = hedgerow.evaluate_clusters(model, table)
    described = hedgerow.describe_clusters(model, table, "rules")
    assert described.error == 0
    report = hedgerow.clusters_report(model, figures, described)
    assert "Clusters and classes of art" in hedgerow.render(report)
    assert str(hedgerow.clusters_svg(model, table, classes=["a"] * 7)).count(", a</title>") == 7
    with pytest.raises(hedgerow.UsageError, match="by a tree or by rules"):
        hedgerow.describe_clusters(model, table, "poem")


def test_a_stream_is_clustered_in_passes_and_placed_batch_by_batch(rows):
    words = ("cluster", "rows.csv", "--learner", "kmeans", "--class", "art", "--stream")
    done = run(*words, "-o", "m.hedge", "--out", "labels.csv", "--with-data")
    assert done.status == 0, done.err
    assert "not evaluated" in done.out
    labels = [line.split(",")[-1] for line in (rows / "labels.csv").read_text().split()]
    assert labels[0] == "cluster"
    assert len(set(labels[1:4])) == len(set(labels[4:])) == 1
    assert labels[1] != labels[4]
    assert "cluster 1" in run("show", "m.hedge").out


def test_a_page_of_the_clusters(rows):
    done = cluster("--class", "art", "--html", "page.html", "-o", "m.hedge")
    assert done.status == 0, done.err
    assert done.out == ""
    assert "note: the page is in page.html" in done.err
    page = (rows / "page.html").read_text("utf-8")
    assert "Clusters of rows.csv" in page
    assert "Clusters and classes of art" in page
    assert "1 of 7 rows have no" in page
    assert "größe" in page
    assert json.loads(cluster("--html", "page.html", "--json").out)["profiles"][0]["cluster"] == "1"
    assert "No such file" in cluster("--html", "nowhere/page.html").err
    assert "--html needs all rows at once" in run("cluster", "rows.csv", "--stream", "--html", "p.html").err


def test_reports_of_a_saved_model_and_of_saved_json(rows):
    assert run("cluster", "rows.csv", "--n-clusters", 2, "--class", "art", "-o", "m.hedge", "-q").status == 0
    assert run("report", "m.hedge", "rows.csv", "-o", "page.html").status == 0
    assert "<svg" in (rows / "page.html").read_text("utf-8")
    assert "Quality of the clusters" in run("report", "m.hedge", "rows.csv").out
    assert "clusters have no known classes" in run("report", "m.hedge", "rows.csv", "--folds", 3).err
    assert "clusters have no known classes" in run("report", "m.hedge", "rows.csv", "--plot", "roc.svg").err
    assert run("report", "m.hedge", "rows.csv", "-o", "saved.json").status == 0
    assert run("report", "saved.json", "-o", "again.html").status == 0
    assert "Differences from other clusters" in (rows / "again.html").read_text("utf-8")
    saved = json.loads((rows / "saved.json").read_text())
    (rows / "bad.json").write_text(json.dumps(saved | {"picture": "<script>", "dendrogram": "<script>"}))
    assert run("report", "bad.json", "-o", "again.html").status == 0
    assert "<script" not in (rows / "again.html").read_text("utf-8")
