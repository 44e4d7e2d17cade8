"""Profiles in print: a paragraph a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.data.table.schema import Column
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.layout.wrapping import hang_list
from hedgerow.models.base.date_coefficients import DAY, format_column_number
from hedgerow.models.linear.text import quote_name

if TYPE_CHECKING:
    from hedgerow.models.clusters.profile import Difference, Profile

MOST_COLUMNS = 12  # columns whose typical values are printed
MOST_APART = 5  # differences that are printed,
LEAST_EFFECT = 0.2  # in standard deviations, the largest excepted
MOST_CLUSTERS = 50


def rows_text(weight: float) -> str:
    """Return a weight of rows.

    >>> rows_text(1.0), rows_text(12345.0), rows_text(2.5)
    ('1 row', '12,345 rows', '2.5 rows')
    """
    weight = round_digits(weight, 9)
    text = f"{int(weight):,}" if weight.is_integer() and weight < 1e15 else format_number(round_digits(weight))
    return f"{text} row{'s' * (text != '1')}"


def share_text(share: float) -> str:
    """Return a share in percent.

    >>> share_text(1.0), share_text(0.4133), share_text(0.00041)
    ('100 %', '41.3 %', '0.041 %')
    """
    return f"{format_number(round_digits(100 * share, 3 if share < 0.9995 else 4))} %"


def profile_lines(profile: Profile) -> list[str]:
    """Return the lines that describe every cluster."""
    lines: list[str] = []
    for cluster in range(min(len(profile), MOST_CLUSTERS)):
        lines += [*([""] if lines else []), *cluster_lines(profile, cluster)]
    more = len(profile) - MOST_CLUSTERS
    return [*lines, "", f"... and {more} more clusters"] if more > 0 else lines


def cluster_lines(profile: Profile, cluster: int) -> list[str]:
    """Return the paragraph of one cluster, numbered from 0: size, typical values, and differences from the others."""
    size, total = float(profile.sizes[cluster]), float(profile.sizes.sum())
    share = f" ({share_text(size / total)})" if 0 < size < total else ""
    lines = [f"cluster {cluster + 1}: {rows_text(size)}{share}"]
    typical = typical_texts(profile, cluster)
    if len(typical) > MOST_COLUMNS:
        typical = [*typical[:MOST_COLUMNS], f"... and {len(typical) - MOST_COLUMNS} more columns"]
    lines += hang_list("  typical: ", typical) if typical else []
    apart = describe_differences(profile, cluster)
    return [*lines, *hang_list("  differs: ", apart)] if apart else lines


def typical_texts(profile: Profile, cluster: int) -> list[str]:
    """Return the typical value of every column of which something is known, in the schema's order."""
    columns = profile.schema.columns
    entries: dict[int, str] = {}
    for at, n in profile.numeric():
        if profile.known[cluster, n] > 0:
            entries[at] = f"{quote_name(columns[at].name)} {mean_text(columns[at], float(profile.means[cluster, n]))}"
            entries[at] += _spread(columns[at], float(profile.deviations[cluster, n]))
    for at, span in profile.nominal():
        counts = profile.levels[cluster, span]
        if counts.sum() > 0:
            best = int(counts.argmax())
            level = quote_name(columns[at].levels[best])
            entries[at] = f"{quote_name(columns[at].name)}={level} {share_text(float(counts[best] / counts.sum()))}"
    for at, terms in profile.texts():
        if terms[cluster]:
            entries[at] = f"{quote_name(columns[at].name)}: {' '.join(map(quote_name, terms[cluster]))}"
    return [entries[at] for at in sorted(entries)]


def describe_differences(profile: Profile, cluster: int) -> list[str]:
    """Return the differences of a cluster from the others, the largest first."""
    return [difference_text(profile, one) for one in relevant_differences(profile, cluster)]


def relevant_differences(profile: Profile, cluster: int) -> list[Difference]:
    """Return the differences that are worth telling, the largest first."""
    differences = profile.differences(cluster)
    return [one for n, one in enumerate(differences[:MOST_APART]) if n == 0 or abs(one.effect) >= LEAST_EFFECT]


def difference_text(profile: Profile, one: Difference) -> str:
    """Return one difference, such as `age higher (61.2, others 34)` or `sky=rain more often (80 %, others 12.5 %)`."""
    column = profile.schema.columns[one.column]
    if one.level < 0:
        inside, outside = mean_text(column, one.inside), mean_text(column, one.outside)
        ways = ("earlier", "later") if column.date is not None else ("lower", "higher")
        return f"{quote_name(column.name)} {ways[one.effect > 0]} ({inside}; others {outside})"
    how = "more often" if one.effect > 0 else "less often"
    name = f"{quote_name(column.name)}={quote_name(column.levels[one.level])}"
    return f"{name} {how} ({share_text(one.inside)}; others {share_text(one.outside)})"


def mean_text(column: Column, value: float) -> str:
    """Return a mean of a column's numbers; of dates a day."""
    return format_column_number(column, value if column.date is not None else round_digits(value, 4))


def _spread(column: Column, value: float) -> str:
    if not value > 0:
        return ""
    if column.date is not None:
        return f" ± {format_number(round_digits(value / DAY, 3))} days"
    return f" ± {format_number(round_digits(value, 3))}"
