"""Learners that change their weights at mistakes only: perceptron and Winnow.

Start with perceptron.py and winnow.py, then base.py (what they share); the kernel is
kernels/linear/perceptron_winnow.cpp.
"""
