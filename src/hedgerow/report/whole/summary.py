"""The summary of a report: one sentence on the result, the key metrics, and notes."""

from __future__ import annotations

import math
from typing import Any

from hedgerow.layout.numbers import Number, format_count, format_digits, format_fixed, format_share, format_weight
from hedgerow.report import blocks as b
from hedgerow.report.clusters.clusters_section import cluster_tiles
from hedgerow.report.figures import between, figure_of, headline
from hedgerow.report.schema import AnyReport, EvaluationReport, MeasureReport
from hedgerow.report.whole.sections import Parts, notes_of

OF_CLASSES, OF_NUMBERS = ("accuracy", "kappa", "auc", "brier"), ("mae", "rmse", "r2", "correlation")


def summary(report: AnyReport, parts: Parts) -> b.Section | None:
    """Return the summary; None if it would be empty."""
    evaluation = parts.get("evaluation")
    blocks: list[b.Block] = [] if evaluation is None else [b.Lead(sentence(evaluation))]
    tiles, notes = tuple(_tiles(parts)), tuple(notes_of(report, parts))
    blocks += [b.Tiles(tiles)] if tiles else []
    blocks += [b.Notes(notes)] if notes else []
    return b.Section("summary", "Summary", tuple(blocks)) if blocks else None


def sentence(report: EvaluationReport) -> str:
    """Return in words the performance of the model and of the baseline, after a warning if rows were trained on."""
    return f"{headline(report)} {_performance(report)}".lstrip()


def _performance(report: EvaluationReport) -> str:
    measures = {one["name"]: one["value"] for one in report["measures"]}
    if not report["labels"]:
        mae = measures["mae"]
        away = f"The mean absolute error of the predictions of {report['target']} is {format_digits(mae['value'], 3)}"
        return f"{away}{_in_brackets(between(mae, _three_digits))}. {report['verdict']}".rstrip()
    accuracy = measures["accuracy"]
    largest = max(report["by_class"], key=lambda one: float(one["weight"]))
    share = largest["weight"] / report["weight"] if report["weight"] else math.nan
    rows, answered = f"{format_count(report['rows'])} rows", report.get("answered")
    if answered is not None:
        if not answered["weight"]:
            return f"None of {rows} has a prediction."
        rows = f"the {format_weight(answered['weight'])} of {format_weight(answered['of'])} rows with a prediction"
    ends = _in_brackets(between(accuracy, format_share))
    said = f"{format_share(accuracy['value'])} of {rows} are predicted correctly{ends}."
    always = f"Always predicting {largest['label']} is correct for {format_share(share)}."
    return f"{said} {always} {report['verdict']}".rstrip()


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


def _three_digits(value: Number) -> str:
    return format_digits(value, 3)


def _tiles(parts: Parts) -> list[b.Tile]:
    tiles: list[b.Tile] = []
    if "evaluation" in parts:
        of_classes = bool(parts["evaluation"]["labels"])
        names = OF_CLASSES if of_classes else OF_NUMBERS
        tiles += [_measure(one, of_classes) for one in parts["evaluation"]["measures"] if one["name"] in names]
    if "data" in parts:
        columns = f"{format_count(len(parts['data']['columns']))} columns"
        tiles.append(b.Tile(format_count(parts["data"]["rows"]), "rows", columns))
    if "model" in parts and parts["model"]["size"] is not None:
        model: dict[str, Any] = parts["model"]
        tiles.append(b.Tile(format_count(model["size"]), "model size", model["kind"].replace("_", " ")))
    return tiles + (cluster_tiles(parts["clusters"]) if "clusters" in parts else [])


def _measure(one: MeasureReport, of_classes: bool) -> b.Tile:
    found = figure_of(one["value"], format_fixed if of_classes else format_digits, 3)
    full = figure_of(one["value"], format_fixed if of_classes else format_digits)
    return b.Tile(found.value, one["title"], f"{full.low} to {full.high}" if full.low else "")
