"""The reference implementation of going down trees: node by node, with all rows that are there."""

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
        other = tested(table, rows, column, nodes.surrogate_levels_of(one), nodes.surrogate_thresholds[one], first)
        child = np.where(child < 0, other, child)
    return np.where(child < 0, nodes.missing[node], child).astype(np.int32)


def tested(table, rows, column, levels, threshold, first):
    """Return the child of one test; -1 where the value is missing or the test does not say."""
    if len(levels):
        return np.append(levels, np.int32(-1))[table.codes(column)[rows]]
    values = table.numbers(column)[rows]
    child = np.where(values <= threshold, first, 1 - first)
    return np.where(np.isnan(values), -1, child).astype(np.int32)


def leaf_prices(first, counts, risk):
    """The weakest links of Breiman et al. (1984) by definition: cut the cheapest nodes of all, look again, until the
    root is a leaf. Returns for each node the price at which it became a leaf; infinity if an ancestor took it away."""
    prices = [-np.inf if not n else np.inf for n in counts]

    def subtree(node):
        """The node, and what is not cut off below it."""
        below = range(first[node], first[node] + counts[node]) if prices[node] == np.inf else ()
        return [node, *(other for child in below for other in subtree(child))]

    def worth(node):
        leaves = [risk[n] for n in subtree(node) if prices[n] < np.inf]
        return (risk[node] - sum(leaves)) / (len(leaves) - 1)

    price = 0.0
    while there := {node: worth(node) for node in subtree(0) if prices[node] == np.inf}:
        price = max(price, min(there.values()))
        for node, least in there.items():
            if least <= price * (1 + 1e-9) + 1e-15:
                prices[node] = price
    return taken_away(first, counts, prices)


def taken_away(first, counts, prices):
    """Infinity for the nodes that an ancestor took away at the same price or before."""
    out, waiting = list(prices), [(0, np.inf)]
    while waiting:
        node, above = waiting.pop()
        if counts[node] and prices[node] >= above * (1 - 1e-9):
            out[node] = np.inf
        waiting += [(first[node] + i, min(above, prices[node])) for i in range(counts[node])]
    return out
