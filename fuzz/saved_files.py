"""Checkpoints, result stores and saved reports with changed values: an error message, or valid use."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

from fuzz.model_files import changed_parts, packed, unpacked
from fuzz.odd import JSON_VALUES, changed_json, changed_text
from fuzz.target import Target
from hedgerow import examples
from hedgerow.checks import example, with_texts
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError, HedgerowError
from hedgerow.evaluate.learner_comparison.compare import compare
from hedgerow.learn.linear.online.checkpoint import Checkpoint
from hedgerow.learn.linear.online.online_state import OnlineState
from hedgerow.learn.linear.online.run import answers
from hedgerow.learn.registry import learner_class
from hedgerow.models.files.manifest import DAMAGE

FIELDS = (
    "data", "learner", "parameters", "folds", "seed", "version", "run", "fold", "train_weight", "test_weight",
    "train_seconds", "test_seconds", "model_size", "measures",
)  # fmt: skip


def targets() -> Iterator[Target]:
    """Yield a target for each."""
    yield Target("saved", "checkpoint", _checkpoint, check_checkpoint)
    yield Target("saved", "store", _store, check_store)
    for name in _reports():
        yield Target("saved", f"report_{name}", partial(_report, name=name), check_report)


def check_checkpoint(case: Any) -> None:
    """Raise unless a checkpoint is rejected, or can be trained further, predicts, and gives a model that prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "c.ck")
        path.write_bytes(packed(case))
        kept = Checkpoint.load(path)
        state = kept.state
        state.learn(_rows())
        answers(state, _rows(), shares=state.is_classes)
        str(state.model())
        kept.save(path)
        Checkpoint.load(path)


def check_store(case: Any) -> None:
    """Raise unless a comparison with a damaged store gives an error message or a result."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "r.sqlite")
        path.write_bytes(_saved_store())
        base = sqlite3.connect(path)
        base.execute(f"UPDATE OR IGNORE folds SET {case['field']} = ? WHERE fold = ?", (case["value"], case["fold"]))
        base.commit()
        base.close()
        str(_compared(path))


def check_report(case: Any) -> None:
    """Raise unless a saved report gives an error message, or is rendered to a page of normal size."""
    from hedgerow.report.whole.forms import write_form
    from hedgerow.report.whole.saved import read_report

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "r.json")
        path.write_text(case["text"], encoding="utf-8", errors="replace")
        report = read_report(str(path))
    for form in ("text", "md", "html", "json"):
        try:
            text = write_form(report, form)
        except HedgerowError:
            raise
        except DAMAGE as error:  # as the command line does
            raise DataError(f"a saved report is incomplete ({error})") from None
        assert len(text) < 10_000_000, "a page has more than ten million characters"


def _checkpoint(random: Random) -> Any:
    return changed_parts(random, unpacked(_saved_checkpoint(random.choice((None, 4)))))


def _store(random: Random) -> Any:
    odd = [value for value in JSON_VALUES if not isinstance(value, list | dict) and value not in ("\ud800",)]
    fits = [value for value in odd if not isinstance(value, int) or abs(value) < 2**63]
    field = random.choice(FIELDS)
    value = random.choice(fits)
    if field == "measures" and random.random() < 0.7:
        value = changed_text(random, '{"error": 0.25, "auc": null, "f1": 1.0}').encode("utf-8", "replace").decode()
    return {"field": field, "value": value, "fold": random.randrange(3)}


def _report(random: Random, *, name: str) -> Any:
    if random.random() < 0.1:
        return {"text": changed_text(random, json.dumps(_reports()[name]))}
    return {"text": json.dumps(changed_json(random, _reports()[name], random.choice((1, 1, 2))))}


@cache
def _rows() -> Table:
    return with_texts(example(learner_class("OnlineLinear")(), rows=30))


@cache
def _saved_checkpoint(bits: int | None) -> bytes:
    state = OnlineState(_rows().schema, bits=bits)
    state.learn(_rows())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "c.ck")
        Checkpoint(state, "online_linear", {}, 0, 30, 1).save(path)
        return path.read_bytes()


@cache
def _saved_store() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "r.sqlite")
        _compared(path)
        base = sqlite3.connect(path)
        base.execute("PRAGMA journal_mode = DELETE")
        base.close()
        return path.read_bytes()


def _compared(path: Path) -> Any:
    learners = [learner_class("Majority")(), learner_class("OneR")()]
    return compare(learners, {"loan": examples.loan()}, folds=3, runs=1, store=path)


@cache
def _reports() -> dict[str, Any]:
    """Return small reports of several kinds as JSON values."""
    from hedgerow import cross_validate
    from hedgerow.layout.json_values import to_json
    from hedgerow.report.about.model_report import model_report
    from hedgerow.report.data.data import describe_report
    from hedgerow.report.evaluation.build import evaluation_report
    from hedgerow.report.whole.full_report import full_report

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = examples.loan()
        model = learner_class("C45")().train(table)
        results = cross_validate(learner_class("NaiveBayes")(), table, folds=3)
        made = {
            "data": describe_report(table),
            "evaluation": evaluation_report(results),
            "model": model_report(model),
            "full": full_report(model, table, results),
        }
    return {name: json.loads(to_json(report)) for name, report in made.items()}
