"""Numbers as they print: shortest decimals, fixed decimals, significant digits, weights, measures and shares."""

from __future__ import annotations

import math

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
