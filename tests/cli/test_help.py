"""The help of every verb, with the options of every learner that it offers."""

from importlib import import_module

import click
import pytest

import hedgerow
from hedgerow.cli import VERBS
from tests.cli.run import run

WITH_LEARNER = ("train", "crossval", "curve", "plot")  # verbs that take any learner


def options_in(text):
    """Return all options that a help text names."""
    return {word.strip("/,") for part in text.split() for word in part.split("/") if word.startswith("--")}


def option_of(param):
    return "--" + param.name.replace("_", "-")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_prints_its_help(verb):
    ran = run(verb, "--help")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: hedgerow {verb}")
    assert "--help" in options_in(ran.out)
    assert run(verb, "-h") == ran


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_fits_a_terminal_and_has_an_example(verb):
    text = run(verb, "--help").out
    assert not [line for line in text.split("\n") if len(line) > 80]
    assert f"    hedgerow {verb}" in text


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_a_verb_has_a_sentence_and_is_listed(verb):
    command = import_module(f"hedgerow.cli.{verb}").command
    options = [param for param in command.params if isinstance(param, click.Option)]
    listed = options_in(run(verb, "--help").out)
    for option in options:
        assert option.help, option.name
        assert option.help[0].isupper(), option.help
        assert option.help.endswith("."), option.help
        assert {name for name in option.opts if name.startswith("--")} <= listed, option.name


def test_the_help_of_all_verbs_is_listed():
    ran = run("--help")
    assert (ran.status, ran.err) == (0, "")
    assert all(verb in ran.out for verb in VERBS)


@pytest.mark.parametrize("learner", hedgerow.learners())
def test_help_lists_all_options_of_the_learner(learner):
    offered = {option_of(param) for param in hedgerow.learners()[learner].params.values() if not param.in_python}
    for verb in WITH_LEARNER:
        ran = run(verb, "--learner", learner, "--help")
        assert (ran.status, ran.err) == (0, "")
        assert offered <= options_in(ran.out), verb


@pytest.mark.parametrize(
    ("verb", "learner"),
    [
        ("associate", "apriori"),
        ("online", "online_linear"),
        ("online", "online_linear_regressor"),
        *[("cluster", name) for name, info in hedgerow.learners().items() if info.kind == "clusterer"],
    ],
)
def test_verbs_of_few_learners_list_their_options(verb, learner):
    named = () if verb == "associate" else ("--learner", learner)
    ran = run(verb, *named, "--help")
    assert (ran.status, ran.err) == (0, "")
    offered = {option_of(param) for param in hedgerow.learners()[learner].params.values() if not param.in_python}
    assert offered <= options_in(ran.out)


def test_the_help_of_associate_is_grouped_by_purpose():
    text = run("associate", "--help").out
    options, rest = text.split("\nWhat to find:\n")
    found, reading = rest.split("\nHow to read the data:\n")
    assert "--recommend" in options
    assert {"--min-support", "--min-confidence"} <= options_in(found)
    assert {"--header", "--delimiter"} <= options_in(reading)
