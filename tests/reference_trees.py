"""The slow, plain twin of going down trees: node by node, with all rows that are there."""

import numpy as np


def descend(nodes, routes, payload, table):
    """Return for every row the payload of the leaf that it reaches, or of several by their shares."""
    found = np.zeros((table.n_rows, payload.shape[1]))
    waiting = [(0, np.arange(table.n_rows), np.ones(table.n_rows))]
    while waiting:
        node, rows, shares = waiting.pop()
        if not len(rows):
            continue
        if nodes.columns[node] < 0:
            found[rows] += shares[:, None] * payload[node]
            continue
        child = children_taken(nodes, node, table, rows)
        for number, at in reversed(list(enumerate(nodes.children(node)))):
            here = child == number
            waiting.append((at, rows[here], shares[here]))
            if (child == -1).any() and routes[at] > 0:
                waiting.append((at, rows[child == -1], shares[child == -1] * routes[at]))
    return found


def children_taken(nodes, node, table, rows):
    """Return the child that each row takes; -1 for all children."""
    child = tested(table, rows, int(nodes.columns[node]), nodes.levels_of(node), nodes.thresholds[node], 0)
    for one in nodes.surrogates(node):
        column, first = int(nodes.surrogate_columns[one]), int(nodes.surrogate_first[one])
        other = tested(table, rows, column, nodes.surrogate_levels(one), nodes.surrogate_thresholds[one], first)
        child = np.where(child < 0, other, child)
    return np.where(child < 0, nodes.missing[node], child).astype(np.int32)


def tested(table, rows, column, levels, threshold, first):
    """Return the child of one test; -1 where the value is missing or the test does not say."""
    if len(levels):
        return np.append(levels, np.int32(-1))[table.codes(column)[rows]]
    values = table.numbers(column)[rows]
    child = np.where(values <= threshold, first, 1 - first)
    return np.where(np.isnan(values), -1, child).astype(np.int32)
