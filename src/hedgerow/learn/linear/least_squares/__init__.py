"""Least squares: linear regression and what is built on it.

Start with linear_regression.py (the learner), then solve.py (normal equations), gradient_descent.py and shown_work.py
(the steps in print); the kernel of products is kernels/core/column_products.cpp.
"""
