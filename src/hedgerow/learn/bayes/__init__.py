"""Bayesian learners."""
