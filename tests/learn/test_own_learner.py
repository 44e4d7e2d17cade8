"""A learner and a model that are defined outside the package: the example, and what hedgerow does with them."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import hedgerow
from hedgerow.models.base.reason import SumReason

SCRIPT = Path(__file__).parents[2] / "examples" / "a_learner_of_your_own.py"


@pytest.fixture(scope="module")
def own():
    """Return the names that the example defines; it runs the checks of learners and prints."""
    return runpy.run_path(str(SCRIPT), run_name="a_learner_of_your_own")


@pytest.fixture(autouse=True, scope="module")
def importable():
    """Make the example a module, so that its classes can be pickled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPT.parent))
        yield


def test_the_example_is_checked_saved_and_explained(own, capsys):
    model = own["NearestMean"]().train(own["table"])
    assert type(hedgerow.load(own["path"])) is own["ClassMeans"]
    assert hedgerow.load(own["path"]) == model
    assert str(model) == "No: Humidity near 86.2\nYes: Humidity near 79.1111"


def test_its_reasons_are_the_sum_of_its_contributions(own):
    model, table = own["NearestMean"]().train(own["table"]), own["table"]
    for found in hedgerow.explanations(model, table):
        assert isinstance(found.reason, SumReason)
        first, second = (found.probabilities[code] for code in (found.sides.winner, found.sides.against))
        assert found.reason.total == pytest.approx(np.log(first / second))


def test_a_committee_of_them_is_saved(own, tmp_path):
    model = hedgerow.Bagging(base=own["NearestMean"](), n_estimators=3).train(own["table"])
    model.save(tmp_path / "m.hedge")
    again = hedgerow.load(tmp_path / "m.hedge")
    assert again == model
    assert np.array_equal(again.distribution(own["table"]), model.distribution(own["table"]))


def test_a_file_of_it_that_was_changed_is_refused_with_a_sentence(own, tmp_path):
    class Strange(own["ClassMeans"]):
        def to_dict(self):
            return {"column": "no such column", "means": self.means}

    model = own["NearestMean"]().train(own["table"])
    hedgerow.register_model(own["ClassMeans"])
    with pytest.raises(hedgerow.ModelError, match="cannot be saved: its class is not registered"):
        Strange(model.schema, model.column, model.means).save(tmp_path / "m.hedge")


def test_what_a_model_does_not_answer_has_a_default(own):
    model = own["NearestMean"]().train(own["table"])
    assert model.columns_used() is None
    assert model.rule_order == ""
    assert model.neighbor_rows(own["table"].slice(0, 1)) is None
    for ask in (model.rule_rows, model.importance, model.as_rules):
        with pytest.raises(hedgerow.UsageError, match="class_means"):
            ask()
