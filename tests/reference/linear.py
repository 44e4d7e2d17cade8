"""Reference implementations of the linear kernels."""

from itertools import combinations

import numpy as np


def gram(matrix, weights):
    """Sums of weighted products of the columns of a matrix and 1, row by row."""
    out = np.zeros((matrix.shape[1] + 1, matrix.shape[1] + 1))
    for row, weight in zip(matrix, weights, strict=True):
        full = np.append(row, 1.0)
        out += weight * np.outer(full, full)
    return out


def places(columns):
    """The matrix of columns as the kernel sees them: (numbers, center, factor, gaps) or (codes, table, width)."""
    parts = []
    for column in columns:
        if len(column) == 4:
            numbers, center, factor, gaps = column
            parts.append(np.where(np.isnan(numbers), 0.0, (numbers - center) * factor)[:, None])
            if gaps:
                parts.append(np.isnan(numbers).astype(float)[:, None])
        else:
            codes, table, width = column
            place = table[codes]  # -1 is the last
            parts.append((place[:, None] == np.arange(width)).astype(float))
    return np.hstack(parts)


def number_figures(values, weights):
    """Weight, weight of the missing, mean, squared deviations, least and largest of a column."""
    there = ~np.isnan(values)
    weight, missing = weights[there].sum(), weights[~there].sum()
    if not there.any():
        return weight, missing, 0.0, 0.0, np.inf, -np.inf
    mean = np.average(values[there], weights=weights[there]) if weight > 0 else 0.0
    squares = (weights[there] * (values[there] - mean) ** 2).sum()
    return weight, missing, mean, squares, values[there].min(), values[there].max()


def stochastic_pass(matrix, target, weights, rate, theta):
    """One pass of stochastic gradient descent (M170): every theta moves by the error of one row alone."""
    theta = theta.copy()
    for row, y, weight in zip(matrix, target, weights, strict=True):
        full = np.append(1.0, row)
        theta = theta + rate * weight * (y - theta @ full) * full
    return theta


def batch_step(matrix, target, weights, rate, theta):
    """One step of batch gradient descent (M168)."""
    full = np.column_stack([np.ones(len(matrix)), matrix])
    return theta + rate * ((weights * (target - full @ theta)) @ full)


def least_squares(matrix, target, weights):
    """Coefficients, standard errors, R squared and residual deviation by textbook formulas; weights are repetitions."""
    full = np.column_stack([np.ones(len(matrix)), matrix])
    root = np.sqrt(weights)
    beta = np.linalg.lstsq(full * root[:, None], target * root, rcond=None)[0]
    errors = target - full @ beta
    freedom = weights.sum() - full.shape[1]
    variance = (weights * errors**2).sum() / freedom
    covariance = variance * np.linalg.inv((full * weights[:, None]).T @ full)
    total = (weights * (target - np.average(target, weights=weights)) ** 2).sum()
    return beta, np.sqrt(np.diag(covariance)), 1 - (weights * errors**2).sum() / total, variance**0.5


def absolute_cost(matrix, target, weights, theta, quantile):
    """Sum of the errors, those above times the quantile, those below times the rest of 1."""
    errors = target - np.column_stack([np.ones(len(matrix)), matrix]) @ theta
    return (weights * np.where(errors > 0, quantile * errors, (quantile - 1) * errors)).sum()


def least_absolute(matrix, target, weights, quantile):
    """The least cost over all lines through as many rows as there are thetas, and every such theta that has it."""
    full = np.column_stack([np.ones(len(matrix)), matrix])
    found = []
    for rows in combinations(range(len(target)), full.shape[1]):
        part = full[list(rows)]
        if np.linalg.matrix_rank(part) == full.shape[1]:
            theta = np.linalg.solve(part, target[list(rows)])
            found.append((absolute_cost(matrix, target, weights, theta, quantile), theta))
    least = min(cost for cost, _ in found)
    return least, [theta for cost, theta in found if cost <= least + 1e-9 * (1 + least)]


def logistic(matrix, labels, weights, theta, based):
    """Negative log-likelihood, gradient and Hessian of classes, row by row; the intercept is the last of theta."""
    cost, gradient = 0.0, np.zeros_like(theta)
    hessian = np.zeros((theta.size, theta.size))
    for row, label, weight in zip(matrix, labels, weights, strict=True):
        full = np.append(row, 1.0)
        functions = np.append(np.zeros(int(based)), theta @ full)
        top = functions.max()
        norm = np.exp(functions - top).sum()
        chances = np.exp(functions - top) / norm
        cost += weight * (top + np.log(norm) - functions[label])
        own = np.arange(len(functions)) == label
        gradient += weight * np.outer((chances - own)[int(based) :], full)
        p = chances[int(based) :]
        hessian += weight * np.kron(np.diag(p) - np.outer(p, p), np.outer(full, full))
    return cost, gradient, hessian


def newton(matrix, labels, weights, classes, steps=60, ridge=0.0):
    """Coefficients by plain Newton's steps from zero (intercept last), log-likelihood and standard errors."""
    theta = np.zeros((classes - 1, matrix.shape[1] + 1))
    penalty = np.tile(np.append(np.full(matrix.shape[1], ridge), 0.0), classes - 1)
    for _ in range(steps):
        cost, gradient, hessian = logistic(matrix, labels, weights, theta, True)
        full = gradient.ravel() + penalty * theta.ravel()
        theta = theta - np.linalg.solve(hessian + np.diag(penalty), full).reshape(theta.shape)
    cost, _, hessian = logistic(matrix, labels, weights, theta, True)
    return theta, -cost, np.sqrt(np.diag(np.linalg.inv(hessian))).reshape(theta.shape)
