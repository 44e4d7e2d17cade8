"""Bayes: naive Bayes as a product of one factor per column.

Start with distributions.py (the model), then value_factors.py (levels and numbers) and term_factor.py (texts);
learn/bayes/naive_bayes.py learns it.
"""
