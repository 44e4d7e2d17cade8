"""Reference implementations of nearest neighbors: every distance, every row in order, every vote."""

import math

import numpy as np


def dot(one, other):
    """The sum over the terms that two vectors share, in the order of the terms; vectors are dicts by term."""
    total = 0.0
    for term in sorted(set(one) & set(other)):
        total += one[term] * other[term]
    return total


def text_scores(query, rows):
    """How near each row is by texts alone: the larger the nearer."""
    return [dot(query, row) for row in rows]


def difference(one, other):
    """The squared difference of two values of a column: of scaled numbers, or of levels; of a missing value 1."""
    if one is None or other is None:
        return 1.0
    if isinstance(one, str):
        return float(one != other)
    return (one - other) * (one - other)


def mixed_scores(query, rows, query_text, row_texts, n_texts):
    """How near each row is: minus the squared distance, that of texts and then that of every column."""
    scores = []
    for row, text in zip(rows, row_texts, strict=True):
        total = max(0.0, n_texts - dot(query_text, text))
        for one, other in zip(query, row, strict=True):
            total += difference(one, other)
        scores.append(-total)
    return scores


def nearest(scores, k):
    """The k nearest rows; of equally near ones the first."""
    return sorted(range(len(scores)), key=lambda row: (-scores[row], row))[:k]


def shares(scores, weights, k):
    """What each row has of the k places, by row: rows as near as the last share what is left, by their weights."""
    left, given = float(k), {}
    for score in sorted(set(scores), reverse=True):
        group = [row for row, own in enumerate(scores) if own == score]
        weight = sum(weights[row] for row in group)
        share = min(1.0, left / weight)
        given |= {row: weights[row] * share for row in group}
        left -= weight
        if left <= 0:
            break
    return given


def distance(score, n_texts, texts_only):
    """The distance of a score: 1 - cosine for texts alone, the root of the sum of squares otherwise."""
    if texts_only:
        squared = max(0.0, 1 - score / n_texts)
        return 0.0 if squared <= 1e-12 else squared
    return 0.0 if -score <= 1e-12 * n_texts else math.sqrt(-score)


def closeness(distances, how, widest):
    """What a vote counts, by row: 1, 1/distance (only rows at distance 0 if there are any), or 1 - distance/widest."""
    if how == "plain":
        return dict.fromkeys(distances, 1.0)
    if how == "similarity":
        return {row: max(0.0, 1 - d / widest) for row, d in distances.items()}
    if any(d == 0 for d in distances.values()):
        return {row: float(d == 0) for row, d in distances.items()}
    return {row: 1 / d for row, d in distances.items()}


def votes(scores, weights, classes, n_classes, k, how="plain", n_texts=1, n_columns=0):
    """The votes of each class, and the distances of its neighbors added up by their places."""
    given = shares(scores, weights, k)
    distances = {row: distance(scores[row], n_texts, not n_columns) for row in given}
    widest = 1.0 if not n_columns else math.sqrt(n_texts + n_columns)
    counts = closeness(distances, how, widest)
    found, far = [0.0] * n_classes, [0.0] * n_classes
    for row in sorted(given):
        found[classes[row]] += given[row] * counts[row]
        far[classes[row]] += given[row] * distances[row]
    return found, far


def distances(numbers, codes, distance, own_numbers, own_codes):
    """Distances of one row to all, before any root, column by column; whatever is missing adds the gap or the step."""
    squares, gaps, steps = distance
    out = np.zeros(numbers.shape[1])
    for column, gap, own in zip(numbers, gaps, own_numbers, strict=True):
        apart = own - column
        out = out + np.where(np.isnan(apart), gap, apart * apart if squares else np.abs(apart))
    for column, step, own in zip(codes, steps, own_codes, strict=True):
        out = out + np.where((column == own) & (own >= 0), 0.0, step)
    return out
