"""The factor of a text column: what comes back from a file is checked, and prints stay readable."""

from copy import deepcopy

import numpy as np
import pytest

from hedgerow import NaiveBayes
from hedgerow.errors import ModelError
from hedgerow.models.bayes.distributions import Distributions
from hedgerow.models.bayes.term_evidence import EVENTS
from tests.learn.bayes.test_naive_bayes_texts import G72, texts


def broken(change, event="multinomial"):
    """Return the error that the changed parts of a model raise."""
    model = NaiveBayes(text_model=event).train(texts(*G72))
    parts = deepcopy(model.to_dict())
    change(parts, parts["texts"][0])
    with pytest.raises(ModelError) as caught:
        Distributions.from_dict(parts, model.schema, model.about)
    return str(caught.value)


def put(name, value):
    return lambda _, text: text.__setitem__(name, value)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (put("event", "poisson"), "unknown event model"),
        (put("event", None), "unknown event model"),
        (put("event", ["multinomial"]), "unknown event model"),
        (put("virtual", -1.0), "at least 0"),
        (put("virtual", float("nan")), "at least 0"),
        (put("virtual", float("inf")), "at least 0"),
        (put("virtual", "1"), "at least 0"),
        (put("kind", "levels"), "instead of|cannot have"),
        (put("texts", np.ones(3)), "shape"),
        (put("amounts", -np.ones(6)), "negative"),
        (put("amounts", np.zeros(6)), "above 0"),
        (put("amounts", np.full(6, 1e308)), "too large"),
        (put("texts", np.full(2, 1e308)), "too large"),
        (put("virtual", 1e308), "too large"),
        (put("amounts", np.ones(5)), "shape|does not"),
        (put("classes", np.full(6, 2, dtype=np.int32)), "outside 0 to 1"),
        (put("classes", np.array([0, 0, 1, 1, 1, 0], dtype=np.int32)), "ascending order of the classes"),
        (put("starts", np.array([0, 1, 2, 3, 4, 5], dtype=np.int64)), "does not ascend from 0 to 6"),
        (put("starts", np.array([0, 2, 1, 3, 4, 6], dtype=np.int64)), "does not ascend from 0 to 6"),
        (put("starts", np.array([0, 6], dtype=np.int64)), "shape"),
        (put("space", None), "named values"),
        (lambda parts, _: parts.pop("texts"), "terms of every text column"),
        (lambda parts, _: parts.__setitem__("texts", [None]), "named values"),
        (lambda parts, text: parts["texts"].append(text), "and no others"),
        (lambda _, text: text.pop("virtual"), "instead of"),
        (lambda _, text: text["space"]["tokens"].__setitem__("bits", 3), "shape"),
    ],
)
def test_impossible_parts_are_refused(change, why):
    import re

    assert re.search(why, broken(change))


def test_event_models_have_their_own_limits():
    assert "more texts of a class than there are" in broken(put("amounts", np.full(6, 9.0)), "bernoulli")
    assert "smoothing amount above 0" in broken(put("virtual", 0.0), "complement")
    signed = NaiveBayes(bits=4).train(texts(*G72))
    parts = deepcopy(signed.to_dict())
    parts["texts"][0]["space"]["tokens"]["signed"] = True
    with pytest.raises(ModelError, match="with signs"):
        Distributions.from_dict(parts, signed.schema, signed.about)


@pytest.mark.parametrize("event", EVENTS)
def test_fractional_amounts_are_kept_with_twelve_digits(event):
    table = texts(*G72, weights=[1 / 3, 1 / 7, 0.1])
    factor = NaiveBayes(text_model=event).train(table).factors[0]
    for amount in [*factor.by_class.amounts.tolist(), *factor.by_class.texts.tolist()]:
        assert float(f"{amount:.12g}") == amount


def test_many_classes_and_long_names_wrap():
    levels = tuple(f"a rather long name of class {k}" for k in range(12))
    words = [" ".join(f"word{k}of{j}" for j in range(15)) for k in range(12)]
    model = NaiveBayes().train(texts(words, range(12), levels))
    printed = str(model).splitlines()
    assert all(len(line) <= 100 for line in printed)
    assert printed[0].split() == ["topic", "P(class)"]
    assert printed[1].split()[-1] == "1/12"
    assert sum(line.count("(1)") for line in printed) == 120
    assert not any(line != line.rstrip() for line in printed)


def test_odd_terms_and_classes_cannot_break_the_print():
    model = NaiveBayes(unit="char", ngram_max=2).train(texts(["a\nb\t\x1b[31m", "c d"], [0, 1], ("x\ny", "\x07")))
    assert "\x1b" not in str(model)
    assert "\x07" not in str(model)
    assert "x\\ny" in str(model)
    assert len(str(model).split("\n")) == 7


def test_hashed_columns_have_names():
    model = NaiveBayes(bits=6).train(texts(*G72))
    assert str(model).splitlines()[3] == "text: terms hashed to 64 columns of 3 texts, multinomial"
    assert any("hockey" in one.name for one in model.telling()["text"]["sport"])
    assert all(part.name.startswith("#") for part in model.contributions(texts(["hockey"])).parts[1:])
