"""Naive Bayes on counted texts as in textbooks: dense NumPy, one line per formula."""

import numpy as np


def scores(counts, shares, asked, event, virtual=1.0):
    """Return the log scores of the rows of `asked` (rows x terms), without the prior.

    `counts` are rows x terms, `shares` rows x classes; `virtual` is what every term has beside its counts.
    """
    if event == "bernoulli":
        counts, asked = (counts > 0).astype(float), (asked > 0).astype(float)
        p = (shares.T @ counts + virtual) / (shares.sum(axis=0)[:, None] + 2 * virtual)
        return asked @ np.log(p).T + (1 - asked) @ np.log(1 - p).T
    amounts = shares.T @ counts
    if event == "multinomial":
        return asked @ np.log((amounts + virtual) / (amounts + virtual).sum(axis=1, keepdims=True)).T
    others = amounts.sum(axis=0) - amounts + virtual
    weights = np.log(others / others.sum(axis=1, keepdims=True))
    if event == "weighted_complement":
        return asked @ (weights / weights.sum(axis=1, keepdims=True)).T
    return -(asked @ weights.T)


def posterior(log_scores):
    """Return log scores as probabilities."""
    best = np.exp(log_scores - log_scores.max(axis=1, keepdims=True))
    return best / best.sum(axis=1, keepdims=True)


def log_odds(counts, shares, virtual=1.0):
    """Return ln P(term given class) - ln P(term given the other classes), by class and term."""
    own = shares.T @ counts
    rest = own.sum(axis=0) - own
    n_terms = counts.shape[1]
    return np.log((own + virtual) / (own.sum(axis=1, keepdims=True) + virtual * n_terms)) - np.log(
        (rest + virtual) / (rest.sum(axis=1, keepdims=True) + virtual * n_terms)
    )
