"""Merging of the profiles of several batches of rows into one."""

from __future__ import annotations

import numpy as np

from hedgerow.models.clusters.profile import Profile


def merge_profiles(one: Profile, other: Profile) -> Profile:
    """Return the merged profile of two; the terms of texts are those of the first that has any."""
    known = one.known + other.known
    some = np.where(known > 0, known, 1.0)
    means = (one.known * one.means + other.known * other.means) / some
    squares = one.known * (one.deviations**2 + (one.means - means) ** 2)
    squares += other.known * (other.deviations**2 + (other.means - means) ** 2)
    deviations = np.sqrt(squares / some)
    terms = tuple(
        tuple(mine or theirs for mine, theirs in zip(*pair, strict=True))
        for pair in zip(one.terms, other.terms, strict=True)
    )
    sizes, levels = one.sizes + other.sizes, one.levels + other.levels
    return Profile(one.schema, sizes, known, means, deviations, levels, terms)
