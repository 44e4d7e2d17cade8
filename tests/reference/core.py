"""Reference implementations of the kernels: what they must compute, written for reading."""

from fractions import Fraction

import numpy as np


def count_levels(code, label, weight, levels, classes):
    table = np.zeros((levels + 1, classes))
    for row, (level, klass) in enumerate(zip(code, label, strict=True)):
        if klass >= 0:
            table[level, klass] += 1 if weight is None else weight[row]  # -1 is the last line
    return table


def moments(value, label, weight, classes):
    """Weight, mean and sum of squared deviations of each class, by exact fractions."""
    out = []
    for klass in range(classes):
        rows = [row for row in range(len(value)) if label[row] == klass and not np.isnan(value[row])]
        w = [Fraction(1 if weight is None else float(weight[row])) for row in rows]
        x = [Fraction(float(value[row])) for row in rows]
        n = sum(w)
        if not n:
            out.append((0.0, np.nan, np.nan))
            continue
        mean = sum(a * b for a, b in zip(w, x, strict=True)) / n
        squares = sum(a * (b - mean) ** 2 for a, b in zip(w, x, strict=True))
        out.append((float(n), float(mean), float(squares)))
    return out


def bucket_ends(weights, least):
    ends, held = [], np.zeros(weights.shape[1])
    for place in range(len(weights)):
        held = held + weights[place]
        if place == len(weights) - 1:
            ends.append(place + 1)
            break
        majority = int(np.argmax(held))
        coming = weights[place + 1]
        if held[majority] >= least and coming[majority] < coming.max():
            ends.append(place + 1)
            held = np.zeros_like(held)
    return ends


def add_level_scores(code, evidence, scores):
    return scores + np.array([evidence[c] if c >= 0 else np.zeros(evidence.shape[1]) for c in code]).reshape(
        scores.shape
    )


def add_normal_scores(value, mean, deviation, scores):
    parts = -np.log(deviation * np.sqrt(2 * np.pi)) - (value[:, None] - mean) ** 2 / (2 * deviation**2)
    return scores + np.nan_to_num(parts)


def add_kernel_scores(value, points, shares, width, scores):
    out = scores.copy()
    for row, x in enumerate(value):
        if not np.isnan(x):
            curves = np.exp(-((x - points[:, None]) ** 2) / (2 * width**2)) / (width * np.sqrt(2 * np.pi))
            out[row] += np.log((shares * curves).sum(axis=0))
    return out
