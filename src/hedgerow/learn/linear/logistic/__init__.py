"""Logistic regression.

Start with logistic.py (the learner) and likelihood.py, then newton.py, lbfgs.py and gradient_ascent.py (the solvers);
the kernel is kernels/linear/logistic_columns.cpp.
"""
