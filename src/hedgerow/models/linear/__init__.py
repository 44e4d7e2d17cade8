"""Linear models: least squares, logistic regression and others that sum coefficient times value.

Start with linear.py (numbers) and linear_classes.py (classes), then text.py (the printed table of coefficients);
learners are in learn/linear, the kernel of sums is kernels/linear/linear_scores.cpp.
"""
