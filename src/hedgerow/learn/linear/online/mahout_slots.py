"""The slots that Mahout's encoders assign to predictors: MurmurHash of their names, modulo the number of slots."""

from __future__ import annotations

INTERCEPT = "Intercept Term"
_FACTOR, _MASK, _SHIFT = 0xC6A4A7935BD1E995, (1 << 64) - 1, 47
_NUMBER, _WORD = 1, 100  # seeds
PROBES = 2  # slots of a word


def murmur64(data: bytes, seed: int) -> int:
    """Return MurmurHash64A (A. Appleby) of some bytes as a signed number.

    >>> murmur64(b"temperature", 1) % 4
    0
    """
    value = (seed & _MASK) ^ (len(data) * _FACTOR & _MASK)
    whole = len(data) - len(data) % 8
    for start in range(0, whole, 8):
        part = int.from_bytes(data[start : start + 8], "little") * _FACTOR & _MASK
        part = (part ^ part >> _SHIFT) * _FACTOR & _MASK
        value = (value ^ part) * _FACTOR & _MASK
    if rest := data[whole:]:
        value = (value ^ int.from_bytes(rest, "little")) * _FACTOR & _MASK
    value = (value ^ value >> _SHIFT) * _FACTOR & _MASK
    value ^= value >> _SHIFT
    return value - (1 << 64) if value >> 63 else value


def intercept_slot(n: int) -> int:
    """Return the slot of the intercept, of `n`."""
    return murmur64(INTERCEPT.encode(), 0) % n


def number_slot(name: str, n: int) -> int:
    """Return the slot of a numeric column.

    >>> [number_slot(name, 4) for name in ("outlook", "temperature", "humidity", "windy")], intercept_slot(4)
    ([3, 0, 3, 3], 1)
    """
    return murmur64(name.encode(), _NUMBER) % n


def word_slots(name: str, word: str, n: int) -> list[int]:
    """Return the slots of a word of a column."""
    own = [_signed32(murmur64(name.encode(), _WORD + probe)) for probe in range(PROBES)]
    return [murmur64(word.encode(), seed) % n for seed in own]


def _signed32(number: int) -> int:
    low = number & 0xFFFFFFFF
    return low - (1 << 32) if low >> 31 else low
