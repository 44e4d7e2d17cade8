"""Mutated files of item sets and association rules: an error message, or models that save, print and recommend."""

import random

import numpy as np
import pytest

from hedgerow.models.associations.association_rules import AssociationRules
from hedgerow.models.files.model_file import dumps, loads
from tests.models.associations.associations import sets_by_hand, weather_rules, weather_table
from tests.models.files.hostile import members, packed, resealed
from tests.models.files.test_fuzz import MUTATIONS, mutated_arrays, mutated_manifest, outcome

RULES = weather_rules(
    (["Outlook=Overcast"], ["Play=Yes"]), (["Humidity=Normal", "Windy=False"], ["Play=Yes"]), ([], ["Play=Yes"])
)
CUT = AssociationRules.parse('{1<x<=2, "a, b"=c, got:"t, u"} => {y>3.5}\n{x<=1} => {y<=3.5} (1 of 2, 2 of 4.5)')
MODELS = [RULES, CUT, sets_by_hand(weather_table(), 5)]


def survives(data):
    model = outcome(data)
    if model is None:
        return False
    again = loads(dumps(model))
    assert again == model
    assert str(again) == str(model)
    if isinstance(model, AssociationRules):
        assert len(model.recommend([["Outlook=Overcast", "x"], []])) == 2
        assert np.isfinite(model.support[model.counts > 0]).all()
    return True


@pytest.mark.parametrize("mutation", MUTATIONS)
@pytest.mark.parametrize("model", MODELS)
def test_damage_under_a_right_checksum_is_survived(model, mutation):
    chance, file = random.Random(3), dumps(model)
    for _ in range(200):
        survives(resealed(mutation(file, chance)))


@pytest.mark.parametrize("model", MODELS)
def test_odd_values_in_the_manifest_are_survived(model):
    chance = random.Random(4)
    (name, manifest), *arrays = members(dumps(model))
    for _ in range(500):
        survives(packed([(name, mutated_manifest(manifest, chance)), *arrays]))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("model", MODELS)
def test_odd_arrays_are_survived(model):
    chance = random.Random(5)
    manifest, *arrays = members(dumps(model))
    for _ in range(300):
        survives(packed([manifest, *mutated_arrays(list(arrays), chance)]))
