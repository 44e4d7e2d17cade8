"""Numbers as they print: shortest decimals, fixed decimals, significant digits, weights, measures and shares."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hedgerow.layout.rounding import round_digits

Number = float | int | None  # of a report, where None and NaN are undefined


def format_number(value: float) -> str:
    """Return the shortest text that reads back as `value`; a whole number has no decimal point."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def format_fixed(value: Number, digits: int = 4, plus: bool = False) -> str:
    """Return a share with a fixed number of decimals; ? is undefined."""
    if value is None or math.isnan(value):
        return "?"
    if abs(value) >= 1e6:
        return f"{value:+.4g}" if plus else f"{value:.4g}"
    text = f"{value:+.{digits}f}" if plus else f"{value:.{digits}f}"
    return text.lstrip("-+") if not float(text) else text


def format_digits(value: Number, most: int = 4, plus: bool = False) -> str:
    """Return a number of any size at `most` significant digits, without an exponent where that is short."""
    if value is None or math.isnan(value):
        return "?"
    sign = "+" if plus else ""
    if value and not 1e-4 <= abs(value) < 1e7:
        return f"{value:{sign}.{most}g}"
    exponent = int(f"{value:.{most - 1}e}".partition("e")[2])  # of the rounded number: 0.99999 counts as 1
    return f"{value:{sign}.{max(most - 1 - exponent, 0)}f}"


def format_short(value: Number, most: int = 4) -> str:
    """Return `digits` without zeros at the end."""
    text = format_digits(value, most)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def format_weight(value: float) -> str:
    """Return a weight: whole numbers as such, others with one decimal."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.1f}"


def format_measure(value: float) -> str:
    """Return a measure with six decimals, or six digits where that would not be readable; a zero has no sign.

    >>> format_measure(0.24674982), format_measure(-1e-12), format_measure(2.5e-8), format_measure(1 / 3 * 1e30)
    ('0.246750', '0.000000', '2.50000e-08', '3.33333e+29')
    """
    if abs(value) >= 1e12 or 1e-12 < abs(value) < 5e-7:
        return f"{value:.5e}"
    return f"{round(value, 6) + 0.0:.6f}"


def format_quantity(value: float) -> str:
    """Return a weight: whole numbers as such, others with six decimals at most."""
    return format_number(round(float(value), 6) + 0.0)


def format_amount(value: float) -> str:
    """Return a number of the target: as a quantity, or with six digits where it is large or small.

    >>> format_amount(5 / 3), format_amount(1e97 / 3), format_amount(-2e-9 / 3)
    ('1.666667', '3.33333e+96', '-6.66667e-10')
    """
    plain = value == 0 or 1e-4 <= abs(value) < 1e12
    return format_quantity(value) if plain else format_number(round_digits(float(value)))


def format_count(n: float) -> str:
    """Return a count with commas between thousands.

    >>> format_count(1234567)
    '1,234,567'
    """
    return f"{n:,}"


def format_counted(n: float, what: str) -> str:
    """Return a count with what it counts: one of these, or several.

    >>> format_counted(1, "row"), format_counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    number = f"{n:,.0f}" if float(n).is_integer() else f"{n:,.1f}"
    return f"{number} {what}{'' if n == 1 else 's'}"


def format_share(share: Number, decimals: int = 1) -> str:
    """Return a share in percent; ? is undefined.

    >>> format_share(0.125), format_share(2 / 3, 0), format_share(None)
    ('12.5%', '67%', '?')
    """
    return "?" if share is None or math.isnan(share) else f"{share:.{decimals}%}"


def format_shares(shares: Sequence[Number]) -> list[str]:
    """Return shares in percent with as many decimals as the smallest of them needs, at least one.

    >>> format_shares([0.5, 0.00123])
    ['50.00%', '0.12%']
    """
    least = min((share for share in shares if share is not None and share > 0), default=1.0)
    decimals = min(max(1, 1 - math.floor(math.log10(100 * least))), 6)
    return [format_share(share, decimals) for share in shares]


def format_percent(share: Number) -> str:
    """Return a share in percent with as many digits as it takes.

    >>> format_percent(0.125), format_percent(0.000305)
    ('12.5 %', '0.0305 %')
    """
    return "?" if share is None or math.isnan(share) else f"{format_short(100 * share, 3)} %"


def format_lift(value: Number) -> str:
    """Return a lift with two decimals, a large one with fewer."""
    return format_fixed(value, 2) if value is None or math.isnan(value) or value < 100 else format_short(value, 4)


def format_seconds(seconds: Number) -> str:
    """Return a time in the unit that suits it.

    >>> format_seconds(2.5), format_seconds(0.0123), format_seconds(2e-5)
    ('2.5 s', '12.3 ms', '20 µs')
    """
    if seconds is None or math.isnan(seconds):
        return "?"
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"


def format_p(p: Number) -> str:
    """Return how probable a difference is by chance; a very small p is only bounded."""
    return "below 0.0001" if p is not None and p < 1e-4 else format_fixed(p, 4)


def format_probability(share: float) -> str:
    """Return a probability to three decimals; only none at all is 0, only everything 1.

    >>> [format_probability(share) for share in (0.0, 1e-7, 0.5, 0.9999, 1.0)]
    ['0.000', '1.0e-07', '0.500', '> 0.999', '1.000']
    """
    if 0 < share < 0.0005:
        return f"{share:.1e}" if share > 1e-300 else "< 1e-300"
    return "> 0.999" if 0.9995 <= share < 1 else f"{share:.3f}"


def format_signed(value: float, decimals: int = 4) -> str:
    """Return a number with its sign.

    >>> format_signed(1.5, 2), format_signed(float("-inf"))
    ('+1.50', '-inf')
    """
    if math.isnan(value):
        return "?"
    return f"{value:+.{decimals}f}" if math.isfinite(value) and abs(value) < 1e12 else f"{value:+g}"
