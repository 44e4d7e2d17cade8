"""Inputs that once failed, found by the fuzzers in `fuzz/`: each gives an error message or a valid result."""

import json
import random

import pytest
from fuzz.all_targets import all_targets
from fuzz.corpus import cases, keep
from fuzz.readers import SEEDS
from fuzz.run import random_for, tried
from fuzz.target import ANSWER, Target, failure_of, minimized

TARGETS = {(target.group, target.name): target for target in all_targets()}


@pytest.mark.parametrize(
    ("group", "name", "case"),
    [pytest.param(group, name, case, id=f"{group}/{file}") for file, group, name, case in cases()],
)
def test_what_once_failed(group, name, case):
    TARGETS[group, name].outcome(case)


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda target: f"{target.group}/{target.name}")
def test_an_input_of_every_target_can_be_made_again_and_written_down(target):
    case = target.make(random_for(1, target, 0))
    assert case == target.make(random_for(1, target, 0))
    assert json.loads(json.dumps(case)) == case


@pytest.mark.parametrize("name", SEEDS)
def test_the_files_that_are_damaged_can_be_read_before(name):
    told = {"folder": "", "tsv": "csv"}.get(name, name)
    files = {path: text.encode().decode("latin-1") for path, text in SEEDS[name].items()}
    assert TARGETS["readers", name].outcome({"format": told, "files": files}) == ANSWER


def test_a_failure_is_found_made_smaller_and_kept(tmp_path):
    def check(case):
        if "!" in case:
            raise KeyError("an exclamation mark")

    target = Target(
        "toys",
        "toy",
        lambda chance: "".join(chance.choices("abc!", k=40)),
        check,
        lambda case: (case[:at] + case[at + 1 :] for at in range(len(case))),
    )
    known: set[str] = set()
    case = target.make(random.Random(1))
    outcome, finding = tried(target, 7, case, known)
    assert (outcome, finding.number, finding.case) == ("failure", 7, "!")
    assert finding.failure.startswith("KeyError")
    assert tried(target, 8, case, known) == ("failure", None)  # the same once more
    keep("toys", "toy", finding.case, finding.failure, tmp_path)
    assert [(group, name, kept) for _, group, name, kept in cases(tmp_path)] == [("toys", "toy", "!")]
    assert failure_of(target, "abc") is None
    assert minimized(target, "a!b", "KeyError: x") == "!"
