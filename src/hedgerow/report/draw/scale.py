"""Axes: positions of values, ticks and their labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hedgerow.layout.numbers import format_short

Label = Callable[[float], str]
TINY = 1e-280  # below this, numbers are as good as 0


def percent(value: float) -> str:
    """Return the tick label of a share."""
    return f"{format_short(100 * value, 3)}%"


def number(value: float) -> str:
    """Return the tick label of a number: 0.25, 1,500, 3.2M."""
    size = abs(value)
    if 1e6 <= size < 1e12:
        unit, least = ("G", 1e9) if size >= 1e9 else ("M", 1e6)
        return f"{format_short(value / least, 4)}{unit}"
    if 1e3 <= size < 1e6:
        return f"{float(format_short(value, 4 if size < 1e4 else 6)):,.10g}"
    return format_short(value, 4)


@dataclass(frozen=True)
class Axis:
    """An axis of a chart: its title, its ends, its ticks.

    `place` maps a value to 0..1; a logarithmic axis needs positive ends.
    """

    title: str
    low: float = 0.0
    high: float = 1.0
    label: Label = number
    log: bool = False

    def place(self, value: float) -> float:
        """Return the position of a value, 0 at the low end and 1 at the high one; NaN stays NaN."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low) if value > 0 else math.nan
        return (value - self.low) / (self.high - self.low)

    def ticks(self, most: int = 6) -> list[float]:
        """Return at most about `most` round values between the ends."""
        return log_ticks(self.low, self.high, most) if self.log else ticks(self.low, self.high, most)


def share_axis(title: str) -> Axis:
    """Return the axis of a share, from 0 to 100 %."""
    return Axis(title, 0.0, 1.0, percent)


def axis_for(
    title: str,
    values: Iterable[float],
    label: Label = number,
    *,
    zero: bool = False,
    log: bool = False,
    most: int = 6,
) -> Axis:
    """Return an axis with round ends that include all finite values, and 0 if `zero`."""
    known = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if log:
        low, high = (low, high) if known else (1.0, 10.0)
        room = (high / low) ** 0.03 if high > low else 2.0
        return Axis(title, low / room, high * room, label, log=True)
    low, high = (min(low, 0.0), max(high, 0.0)) if zero else (low, high)
    if not math.isfinite(high - low):
        low, high = low / 4, high / 4
    if high - low <= max(1e-12 * max(abs(low), abs(high)), TINY):
        room = abs(low) * 0.1 if abs(low) > TINY else 1.0
        low, high = (0.0, room) if zero and abs(low) <= TINY else (low - room, high + room)
    step = nice_step((high - low) / most)
    return Axis(title, math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, label)


def nice_step(least: float) -> float:
    """Return the smallest of 1, 2, 2.5, 5 and 10 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * one for one in (1, 2, 2.5, 5, 10) if power * one >= least * (1 - 1e-9))


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round values from low to high, at equal steps."""
    step = nice_step((high - low) / most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{count * step:.12g}") for count in range(first, last + 1)]


def log_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return powers of ten, and their multiples by 2 and 5 if there is room."""
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    for parts in ((1, 2, 5), (1, 3), (1,)):
        found = [part * 10.0**power for power in powers for part in parts if low <= part * 10.0**power <= high]
        if len(found) <= most:
            break
    return found[:: max(math.ceil(len(found) / most), 1)] or [low, high]
