"""The report of a model selection: the candidates, the chosen one and the reason; and its section."""

from __future__ import annotations

from hedgerow.layout.numbers import format_digits, format_fixed, format_short
from hedgerow.learn.choosing.selection import CandidateResult, Selection
from hedgerow.report import blocks as b
from hedgerow.report.figures import is_known
from hedgerow.report.schema import CandidateReport, SelectionReport


def selection_report(selection: Selection) -> SelectionReport:
    """Return the candidates, the simplest first, with their losses, and the one that is chosen."""
    beside = selection.yardstick
    return {
        "report": "selection",
        "version": 1,
        "criterion": selection.criterion,
        "measure": selection.measure,
        "folds": selection.folds,
        "rows": selection.rows,
        "tested_rows": selection.tested_rows,
        "within": selection.within,
        "margin": selection.margin,
        "chosen": selection.chosen.name,
        "best": selection.candidates[selection.best_index].name,
        "reason": selection.reason,
        "candidates": [_candidate(one) for one in selection.candidates],
        "yardstick": None if beside is None else _candidate(beside),
        "procedure": None,
        "notes": [],
    }


def _candidate(one: CandidateResult) -> CandidateReport:
    return {
        "name": one.name,
        "loss": one.loss,
        "standard_error": one.standard_error,
        "difference": one.difference,
        "difference_error": one.difference_error,
        "auc": one.auc,
        "error": one.error,
        "size": one.size,
        "rows": one.rows,
        "training_rows": one.training_rows,
    }


def selection_section(report: SelectionReport) -> b.Section:
    """Return the candidates as a table, the reason for the choice, and what readability costs."""
    has_classes = any(is_known(one["auc"]) for one in report["candidates"])
    how = f"{report['folds']}-fold cross-validation"
    if report["tested_rows"] < report["rows"]:
        how = f"{report['tested_rows']:,} of {report['rows']:,} rows held out"
    beside = report["yardstick"]
    listed = [*report["candidates"], *([] if beside is None or beside in report["candidates"] else [beside])]
    rows = tuple(_row(one, report, has_classes) for one in listed)
    titles = (report["measure"], "difference", "std. error", *(("AUC", "error rate") if has_classes else ()), "size")
    columns = (
        b.TableColumn(""),
        b.TableColumn("", label="candidate"),
        *(b.TableColumn(title, "r") for title in titles),
    )
    sentences = [
        reason_sentence(report),
        *constant_sentences(report),
        *comparison_sentences(report),
        *readability_sentences(report),
    ]
    sentences += procedure_sentences(report)
    title = f"Candidates, simplest first ({how}, the same rows for all)"
    gaps = frozenset({len(rows) - 1}) if len(listed) > len(report["candidates"]) else frozenset()
    return b.Section(
        "selection", "Model selection", (b.TableBlock(columns, rows, title, gaps=gaps), b.Paragraph(tuple(sentences)))
    )


def _row(one: CandidateReport, report: SelectionReport, has_classes: bool) -> b.Row:
    draw = format_fixed if has_classes else format_digits
    is_last = one["rows"] == report["rows"]

    def show(value: float, plus: bool = False) -> str:
        return draw(value, 4, plus) if is_last and is_known(value) else "-"

    figures = [show(one["loss"]), show(one["difference"], plus=True), show(one["difference_error"])]
    if has_classes:
        figures += [show(one["auc"]), show(one["error"])]
    size = format_short(one["size"]) if is_known(one["size"]) else "-"
    return (">" if one["name"] == report["chosen"] else "", one["name"], *figures, size)


def reason_sentence(report: SelectionReport) -> str:
    """Return which candidate is chosen and why."""
    return f"{report['reason'][:1].upper()}{report['reason'][1:]}."


def constant_sentences(report: SelectionReport) -> list[str]:
    """Return the sentence on a chosen model that predicts the same for every row."""
    if report["chosen"] == "majority":
        return ["It predicts the most frequent class for every row: no candidate is clearly better on these rows."]
    if report["chosen"] == "mean":
        return ["It predicts the mean for every row: no candidate is clearly better on these rows."]
    return []


def comparison_sentences(report: SelectionReport) -> list[str]:
    """Return the sentences on candidates that left early, and on those that were trained on a sample."""
    early: dict[int, list[str]] = {}
    for one in report["candidates"]:
        if 0 < one["rows"] < report["rows"]:
            early.setdefault(one["rows"], []).append(one["name"])
    sentences = [
        f"Dropped after a comparison on {rows:,} rows, as clearly worse: {', '.join(names)}."
        for rows, names in sorted(early.items())
    ]
    missing = [one["name"] for one in report["candidates"] if not one["rows"]]
    if missing:
        sentences.append(f"Not compared, as training failed or would exceed the budget: {', '.join(missing)}.")
    most = max((one["training_rows"] for one in report["candidates"]), default=0)
    sampled = [one for one in report["candidates"] if one["rows"] == report["rows"] and one["training_rows"] < most]
    if sampled:
        shown = ", ".join(f"{one['name']} ({one['training_rows']:,} rows)" for one in sampled)
        sentences.append(f"Trained on a sample, to stay within the budget: {shown}; --budget raises it.")
    return sentences


def readability_sentences(report: SelectionReport) -> list[str]:
    """Return the sentence on what a model that nobody can read would achieve."""
    beside = report["yardstick"]
    chosen = next(one for one in report["candidates"] if one["name"] == report["chosen"])
    if beside is None or not is_known(beside["loss"]) or beside["name"] == report["chosen"]:
        return []
    ranked = f" and an AUC of {format_fixed(beside['auc'], 3)}" if is_known(beside["auc"]) else ""
    own = f" and {format_fixed(chosen['auc'], 3)}" if ranked and is_known(chosen["auc"]) else ""
    draw = format_fixed if ranked else format_digits
    losses = draw(beside["loss"]), draw(chosen["loss"])
    forest = f"a random forest of 100 trees has a {report['measure']} of {losses[0]}{ranked}"
    costs = "What readability costs" if beside["loss"] < chosen["loss"] else "Readability costs nothing here"
    return [f"{costs}: {forest}, the chosen model {losses[1]}{own}."]


def procedure_sentences(report: SelectionReport) -> list[str]:
    """Return the sentence on the whole procedure, the choice included, tested on rows that it did not see."""
    tested = report["procedure"]
    if tested is None:
        return []
    draw = format_fixed if tested["error"] is not None else format_digits
    error = "" if tested["error"] is None else f" and an error rate of {format_fixed(tested['error'], 3)}"
    times = ", ".join(f"{name} in {n}" for name, n in tested["chosen"].items())
    where = f"inside each of {tested['folds']} folds" if tested["folds"] > 1 else "on four fifths of the rows"
    whole = f"the whole procedure has a {report['measure']} of {draw(tested['loss'])}{error}"
    again = (
        f"Chosen again {where}, without the test rows ({times}), {whole}; the other figures are those of the "
        "chosen learner alone."
    )
    return [again]
