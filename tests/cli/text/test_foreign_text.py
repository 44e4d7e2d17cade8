"""Names and values of foreign files: they cannot steer the terminal, nor become formulas of a spreadsheet."""

import csv
import io
import subprocess

import pytest

from hedgerow.layout.quotes import quote_for_shell
from tests.cli.run import run

ESCAPE = "\x1b[31m"
STEERS = ("\x1b", "\x07", "\x9b", "\r", "\x08")
ROWS = "".join(f"{i}.5,class{ESCAPE}{i % 2}\n" for i in range(40))


@pytest.fixture
def hostile(folder):
    """Return a folder with files whose names and values hold escape sequences."""
    (folder / "levels.csv").write_text(f"a,tar{ESCAPE}get\n{ROWS}")
    (folder / "strays.csv").write_text(f"a,b\n{ROWS}odd{ESCAPE}\a,x\n")
    (folder / "infinite.csv").write_text(f"a{ESCAPE},b\n{ROWS}inf,x\n")
    (folder / "rules.txt").write_text(f"if a{ESCAPE} > 1 then target = x\n")
    (folder / "rules2.txt").write_text(f"if a > \x9b{ESCAPE} then target = x\n")
    (folder / f"odd{ESCAPE}.csv").write_text(f"a,b\n1,x\n2,y{ESCAPE}\n1\n")
    (folder / "names.csv").write_text(f"a{ESCAPE},a{ESCAPE},b\n1,2,3\n")
    assert run("train", "levels.csv", "-l", "one_r", "--folds", 0, "-q", "-o", "m.hedge").status == 0
    (folder / "new.csv").write_text(f"a,tar{ESCAPE}get\n1.5,new\x1b]0;title\x07\n")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ("describe", "levels.csv"),
        ("train", "levels.csv", "-l", "one_r"),
        ("train", "levels.csv", "-l", "c45", "--show-work"),
        ("train", "strays.csv"),
        ("train", "infinite.csv"),
        ("train", "names.csv"),
        ("crossval", "levels.csv", "-l", "naive_bayes"),
        ("compare", "levels.csv", "--learners", "one_r,majority", "--runs", 1),
        ("online", "levels.csv"),
        ("online", "levels.csv", "--passes", 2, "--learner", "online_linear"),
        ("show", "m.hedge"),
        ("rules", "m.hedge", "levels.csv"),
        ("test", "m.hedge", "new.csv"),
        ("explain", "m.hedge", "levels.csv", "--rows", 1),
        ("cluster", "levels.csv", "--n-clusters", 2),
        ("associate", "levels.csv"),
        ("test", "rules.txt", "levels.csv"),
        ("test", "rules2.txt", "levels.csv"),
        ("describe", f"odd{ESCAPE}.csv"),
        ("describe", f"absent{ESCAPE}.csv"),
        ("train", "levels.csv", "--target", f"x{ESCAPE}"),
        ("train", "levels.csv", "-l", f"x{ESCAPE}"),
        ("train", "levels.csv", f"--x{ESCAPE}"),
        (f"verb{ESCAPE}",),
        ("convert", "levels.csv", f"x.y{ESCAPE}"),
        ("convert", "levels.csv", f"absent{ESCAPE}/x.csv"),
    ],
)
def test_nothing_that_is_printed_steers_the_terminal(hostile, words):
    ran = run(*words)
    assert not [sign for sign in STEERS if sign in ran.err]
    assert not [sign for sign in STEERS if sign in ran.out]


def test_a_hint_can_be_typed_as_it_stands(hostile):
    said = run("train", "strays.csv").err
    assert r"--missing $'odd\u001b[31m\u0007'" in said
    for word in ("a'b", "x\x1b[0m", "two\nlines", 'say "x"\t', "back\\slash\x07", "größe", "a b"):
        ran = subprocess.run(
            ["bash", "-c", f"printf %s {quote_for_shell(word)}"],
            capture_output=True,
            check=True,
            env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        )
        assert ran.stdout.decode() == word


DANGEROUS = ("=", "+", "-", "@", "\t", "\r")
FORMULAS = ["=1+1", "+cmd", "-cmd|x", "@SUM(A1)", "\tx", "\rx"]


@pytest.fixture
def formulas(folder):
    with open(folder / "f.csv", "w", newline="") as stream:
        out = csv.writer(stream, quoting=csv.QUOTE_ALL)
        out.writerow(["number", "=name", "label"])
        out.writerows([[i - 20, FORMULAS[i % 6], "=yes()" if i < 20 else "-1"] for i in range(40)])
    assert run("train", "f.csv", "-l", "one_r", "--folds", 0, "-q", "-o", "m.hedge").status == 0
    return folder


def cells(text):
    return [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "f.csv", "-"),
        ("predict", "m.hedge", "f.csv", "--with-data"),
        ("cluster", "f.csv", "--n-clusters", "2", "--with-data", "--out", "-", "--json"),
        ("rules", "m.hedge", "--csv", "-"),
    ],
)
def test_safe_cells_are_no_formulas(formulas, words):
    if words[0] == "cluster":
        words = (*words[:-3], "--out", "out.csv")
        assert run(*words, "--safe-cells").status == 0
        text = (formulas / "out.csv").read_bytes().decode()
    else:
        ran = run(*words, "--safe-cells")
        assert ran.status == 0
        text = ran.out
    assert not [cell for cell in cells(text) if cell.startswith(DANGEROUS) and not is_number(cell)]


def test_cells_are_as_they_are_unless_asked_for(formulas):
    plain, safe = cells(run("convert", "f.csv", "-").out), cells(run("convert", "f.csv", "-", "--safe-cells").out)
    assert len(plain) == len(safe)
    for one, other in zip(plain, safe, strict=True):
        assert other == (f"'{one}" if one.startswith(DANGEROUS) and not is_number(one) else one)
    ran = run("convert", "f.csv", "out.arff", "--safe-cells")
    assert ran.status == 2
    assert "leave out --safe-cells" in ran.err
