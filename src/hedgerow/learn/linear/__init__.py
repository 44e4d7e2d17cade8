"""Linear models: one folder per method of fitting.

Start with least_squares/linear_regression.py, then logistic/logistic.py, mistakes/perceptron.py,
online/online_linear.py, absolute/least_absolute.py and locally_weighted.py; the kernels are in kernels/linear.
"""
