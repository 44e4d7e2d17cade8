"""Learners that update their weights on mistakes only: perceptron and Winnow.

Start with perceptron.py and winnow.py, then base.py (their common base); the kernel is
kernels/linear/perceptron_winnow.cpp.
"""
