"""Reference implementations of the kernels that learn from mistakes, row by row and time by time."""

import numpy as np

MOST_SHOWN = 1000


def times(weight):
    """The steps of a row of some weight: 1 as often as it goes, then what is left."""
    while weight > 0:
        yield min(weight, 1.0)
        weight -= min(weight, 1.0)


def said(sums, theta=0.0):
    """The class that sums say: the first if the only one is above theta; else the first of the largest."""
    return (0 if sums[0] > theta else 1) if len(sums) == 1 else int(np.argmax(sums))


class Teacher:
    """Shows rows; keeps averages and the pocket the slow way."""

    def __init__(self, weights):
        self.weights = weights
        self.total, self.shown = np.zeros_like(weights), 0.0

    def show(self, row, label, weight):
        """Show a row as often as it weighs; return whether it was mistaken at first."""
        mistaken = False
        for number, share in enumerate(times(weight)):
            if number < MOST_SHOWN and self.wrong(row, label):
                mistaken = mistaken or number == 0
                self.change(row, label, share)
            self.total, self.shown = self.total + share * self.net(), self.shown + share
        return mistaken

    def net(self):
        return self.weights

    def run(self, rows, labels, weights, passes):
        """The number of mistaken rows of every pass, until there is none."""
        counts = []
        for _ in range(passes):
            counts.append(sum(self.show(*one) for one in zip(rows, labels, weights, strict=True)))
            if not counts[-1]:
                break
        return counts

    @property
    def average(self):
        return self.total / self.shown


class Perceptron(Teacher):
    """A line of weights a function, the constant's first."""

    def __init__(self, width, classes):
        super().__init__(np.zeros((1 if classes == 2 else classes, width + 1)))

    def sums(self, row):
        return self.weights @ np.append(1.0, row)

    def wrong(self, row, label):
        return said(self.sums(row)) != label

    def change(self, row, label, share):
        full, sums = np.append(1.0, row), self.sums(row)
        if len(self.weights) == 1:
            self.weights = self.weights + (share if label == 0 else -share) * full
        else:
            self.weights = self.weights.copy()
            wrong = said(sums)
            self.weights[label] += share * full
            self.weights[wrong] -= share * full


class Winnow(Teacher):
    """A line of weights a function; balanced ones have two, `weights` and `minus`."""

    def __init__(self, width, classes, alpha, theta, start=1.0, balanced=False):
        shape = (1 if classes == 2 else classes, width)
        super().__init__(np.full(shape, start))
        self.alpha, self.theta, self.minus = alpha, theta, np.full(shape, start if balanced else 0.0)

    def net(self):
        return self.weights - self.minus

    def sums(self, row):
        return self.net() @ row

    def wrong(self, row, label):
        return any((s > self.theta) != (label == c) for c, s in enumerate(self.sums(row)))

    def change(self, row, label, share):
        self.weights, self.minus = self.weights.copy(), self.minus.copy()
        for c, s in enumerate(self.sums(row)):
            if (s > self.theta) != (label == c):
                factor = self.alpha ** (share if label == c else -share)
                self.weights[c] = np.where(row == 1, self.weights[c] * factor, self.weights[c])
                self.minus[c] = np.where(row == 1, self.minus[c] / factor, self.minus[c])


def class_steps(matrix, labels, classes, based, weights, rate, theta):
    """One pass of stochastic ascent on the log-likelihood (M186); theta has a line a function, the intercept first."""
    theta = theta.copy()
    for row, label, weight in zip(matrix, labels, weights, strict=True):
        full = np.append(1.0, row)
        sums = theta @ full
        sums = np.append(0.0, sums) if based else sums
        chances = np.exp(sums - sums.max())
        chances /= chances.sum()
        error = (np.arange(classes) == label) - chances
        theta += rate * weight * np.outer(error[1:] if based else error, full)
    return theta
