"""Readable is executable: what every learner of rules prints of every public set is read back and predicts the same."""

import numpy as np
import pytest

import hedgerow
from hedgerow.models.rules.parse_model import parse_model
from hedgerow.models.rules.text_header import with_columns
from hedgerow.report.render.rule_folding import fold_rule
from tests.conftest import SHARED

SETS = sorted(path.name for path in (SHARED / "data" / "uci").glob("*") if path.suffix in (".arff", ".gz", ".csv"))
SETS = [name for name in SETS if name != "waveform.data.gz"] or ["iris.arff"]  # which comes without names of columns
LEARNERS = {
    "ripper": hedgerow.Ripper(),
    "ripper, no answer": hedgerow.Ripper(default=None, optimizations=0),
    "prism": hedgerow.Prism(),
    "covering": hedgerow.Covering(),
    "covering, no order": hedgerow.Covering(ordered=False, width=1),
    "one_r": hedgerow.OneR(),
    "c45_rules": hedgerow.C45Rules(),
}
MOST_ROWS = 600  # spread over the set, so that all of it takes seconds


@pytest.mark.parametrize("name", SETS)
def test_what_is_printed_is_what_predicts(name, shared_data, tmp_path):
    whole = hedgerow.read(shared_data(f"uci/{name}"))
    if whole.schema.target is None or str(whole.schema.target_column.kind) != "nominal":
        whole = whole.with_target(whole.schema.names[-1])
    table = whole.take(np.arange(0, len(whole), max(len(whole) // MOST_ROWS, 1)))
    for told, learner in LEARNERS.items():
        model = learner.train(table)
        (tmp_path / "rules.txt").write_text(with_columns(model), encoding="utf-8")
        narrow = "\n".join(line for rule in str(model).split("\n") for line in fold_rule(rule, 70))
        for again in (
            parse_model(str(model), model.schema),
            parse_model(narrow, model.schema),
            hedgerow.load(tmp_path / "rules.txt"),
        ):
            assert str(again) == str(model), told
            assert np.array_equal(again.decide(whole), model.decide(whole)), told
            assert np.array_equal(again.distribution(whole), model.distribution(whole)), told
