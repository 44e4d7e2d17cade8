"""The documentation is correct: examples run, sessions show what the code prints, pages name every parameter."""

import doctest
import importlib
import pkgutil
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import hedgerow
from tests.cli.run import run

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# Doctests that need a file or a name that they only mention.
SKETCHES = {"hedgerow.data.write.Writer"}


def name_of(path):
    return str(path.relative_to(ROOT))


def blocks(page, language):
    """Return the fenced blocks of a page in one language, each with the number of its first line."""
    text = page.read_text()
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, one.start(1)) + 1, one[1]) for one in found]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_sessions_in_the_docs_print_what_they_show(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, parser = {"hedgerow": hedgerow}, doctest.DocTestParser()
    for line, block in blocks(page, "python"):
        if ">>>" not in block:
            continue
        test = parser.get_doctest(block, names, page.name, str(page), line - 1)
        runner, told = doctest.DocTestRunner(optionflags=OPTIONS), []
        runner.run(test, out=told.append, clear_globs=False)
        names = test.globs
        assert not runner.failures, "".join(told)


def steps(block):
    """Yield the commands of a terminal session with what each prints."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


def carry_out(command, shown, status):
    """Return what a command prints and its exit status; `cat` makes the file that it shows."""
    words = shlex.split(command)
    if words[0] == "cat":
        Path(words[1]).parent.mkdir(parents=True, exist_ok=True)
        Path(words[1]).write_text(shown)
        return shown, 0
    if words[0] == "echo":
        return f"{status}\n", 0
    assert words[0] == "hedgerow", f"the docs may show cat, echo $? and hedgerow, not {command!r}"
    stdin = Path(words[words.index("<") + 1]).read_text() if "<" in words else None
    words = words[: words.index("<")] if "<" in words else words
    done = run(*words[1:], stdin=stdin)
    return done.out + done.err, done.status


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_terminal_sessions_in_the_docs_print_what_they_show(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loan.csv").write_text(hedgerow.examples.loan_csv())
    (tmp_path / "groceries.csv").write_text(hedgerow.examples.groceries_csv())
    status, checker = 0, doctest.OutputChecker()
    for line, block in blocks(page, "console"):
        for command, shown in steps(block):
            printed, status = carry_out(command, shown, status)
            same = checker.check_output(shown, printed, OPTIONS)
            assert same, f"{page.name}, block at line {line}: $ {command}\nshown:\n{shown}\nprinted:\n{printed}"


@pytest.mark.parametrize("script", SCRIPTS, ids=name_of)
def test_examples_run_and_are_short(script, tmp_path):
    text = script.read_text()
    assert text.count("\n") < 60, "an example has fewer than 60 lines"
    assert re.match(r'"""[^\n]+"""\n', text), "an example starts with a docstring of one line"
    command = [sys.executable, "-W", "error", str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip(), "an example prints something worth reading"
    assert not list(tmp_path.iterdir()), "an example leaves no files behind"


def modules():
    found = pkgutil.walk_packages(hedgerow.__path__, "hedgerow.")
    return ["hedgerow", *(one.name for one in found if one.name != "hedgerow._kernels")]


@pytest.mark.parametrize("name", modules())
def test_doctests_of_the_modules_pass(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module = importlib.import_module(name)
        for test in doctest.DocTestFinder(exclude_empty=True).find(module):
            if test.name in SKETCHES:
                continue
            runner, told = doctest.DocTestRunner(optionflags=OPTIONS), []
            runner.run(test, out=told.append)
            assert not runner.failures, "".join(told)


def page_of(learner):
    """Return the page whose title names the learner."""
    titles = {page: page.read_text().split("\n", 1)[0] for page in (ROOT / "docs" / "learners").rglob("*.md")}
    pages = [page for page, title in titles.items() if f"`{learner}`" in title]
    assert len(pages) == 1, f"{learner} needs one page in docs/learners whose title names it, not {len(pages)}"
    return pages[0]


@pytest.mark.parametrize("learner", hedgerow.learners())
def test_every_learner_has_a_page_with_its_parameters(learner):
    info, text = hedgerow.learners()[learner], page_of(learner).read_text()
    assert f"`{info.learner.__name__}" in text
    for name, param in info.params.items():
        row = f"| `{name}` | `{param.default}` | {param.range_text()} | {param.help} |"
        assert row in text, f"{page_of(learner).name} lacks the line\n{row}"


def test_the_readme_names_the_two_commands_and_every_learner():
    text = (ROOT / "README.md").read_text()
    assert "make demo" in text
    assert "make test" in text
    for name, info in hedgerow.learners().items():
        assert f"| `{name}` | `{info.learner.__name__}` |" in text


def test_links_between_pages_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"


def test_lines_of_the_docs_are_not_too_long():
    for page in PAGES:
        for number, line in enumerate(page.read_text().split("\n"), start=1):
            assert len(line) <= 120 or line.startswith("|"), f"{page.name}, line {number} is too long"
