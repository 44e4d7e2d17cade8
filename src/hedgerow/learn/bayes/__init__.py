"""Bayes: naive Bayes.

Start with naive_bayes.py (the learner), then plan.py (one pass of counts) and curves.py (numbers); the kernel is
kernels/read/class_counts.cpp.
"""
