"""Support vectors of an explanation: those with the largest contributions, and the nearest."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.layout.cell_width import shorten
from hedgerow.layout.numbers import format_count, format_counted, format_short, format_signed
from hedgerow.report import blocks as b
from hedgerow.report.explanations.row_comparison import LONGEST, Lead, compared_rows
from hedgerow.report.schema import DecidedPart, VectorReport, WhySupport


def support_blocks(told: DecidedPart, found: WhySupport) -> list[b.Block]:
    """Return the explanation of a prediction of a kernel machine."""
    columns = b.TableColumn(""), b.TableColumn("", "r")
    summed = b.TableBlock(columns, tuple(_sum(told, found)), _sentence(told, found), indent=True)
    return [summed, *(compared_rows(title, found, pulls, _lead(pulls)) for title, pulls in _tables(found))]


def _sentence(told: DecidedPart, found: WhySupport) -> str:
    sides = found["sides"]
    n = sides["for"]["vectors"] + sides["against"]["vectors"]
    which = f"{format_counted(n, 'support vector')}{' contributes' if n == 1 else ' contribute'}"
    return f"{which} to {told['decision']} (+) or to {told['against']} (-), by alpha times K:"


def _sum(told: DecidedPart, found: WhySupport) -> list[b.Row]:
    """Return the terms of the decision value."""
    rows: list[b.Row] = []
    for one, label in ((found["sides"]["for"], told["decision"]), (found["sides"]["against"], told["against"])):
        rows.append((f"{format_count(one['vectors'])} for {label}", format_signed(one["adds"])))
    ends = (("intercept", found["intercept"]), ("total (decision value)", found["total"]))
    return [*rows, *((name, format_signed(adds)) for name, adds in ends)]


def _tables(found: WhySupport) -> list[tuple[str, Sequence[VectorReport]]]:
    far = any(one["distance"] is not None for one in found["nearest"])
    near = "by distance on the scaled columns" if far else "by kernel value"
    tables = [
        ("The support vectors with the largest contributions, by their row in the training data:", found["strongest"]),
        (f"The nearest support vectors, {near}:", found["nearest"]),
    ]
    return [one for one in tables if one[1]]


def _lead(pulls: Sequence[VectorReport]) -> Lead[VectorReport]:
    """Return the columns of numbers of support vectors."""
    lead: Lead[VectorReport] = (
        (b.TableColumn("row", "r"), lambda one: format_count(one["row"])),
        (b.TableColumn("class"), lambda one: shorten(one["class"], LONGEST)),
        (b.TableColumn("contribution", "r"), lambda one: format_signed(one["adds"])),
        (b.TableColumn("K", "r"), lambda one: format_short(one["kernel"])),
    )
    if any(one["distance"] is not None for one in pulls):
        return (*lead, (b.TableColumn("distance", "r"), lambda one: format_short(one["distance"])))
    return lead
