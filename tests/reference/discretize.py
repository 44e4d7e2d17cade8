"""Cut points by minimum description length, straight from Fayyad and Irani (1993): what the kernel must equal."""

import numpy as np

from hedgerow.learn.clusters.code_length import entropy


def mdl_ends(weights):
    """Return one past the last value of each interval but the last, from the weights of the values by class."""

    def bits(part):
        total = part.sum()
        return entropy(part / total) if total else 0.0

    def cut(begin, end):
        part = weights[begin:end]
        total = part.sum(axis=0)
        n = total.sum()
        if end - begin < 2 or n <= 1:
            return []
        left = np.cumsum(part, axis=0)[:-1]
        after = [(one.sum() * bits(one) + (total - one).sum() * bits(total - one)) / n for one in left]
        gains = bits(total) - np.array(after)
        place = int(np.flatnonzero(gains > gains.max() - 1e-12)[0])
        sides = total, left[place], total - left[place]
        (k, e), (k1, e1), (k2, e2) = [((side > 0).sum(), bits(side)) for side in sides]
        delta = np.log2(3.0**k - 2) - (k * e - k1 * e1 - k2 * e2)
        if gains[place] <= (np.log2(n - 1) + delta) / n:
            return []
        middle = begin + place + 1
        return [*cut(begin, middle), middle, *cut(middle, end)]

    return cut(0, len(weights))
