"""Attributes of fitted learners under scikit-learn's names, aligned with the features of the input.

Start with fitted_attributes.py: coefficients, importances and decision values. feature_columns.py has the columns of
matrices such as centers and support vectors.
"""
