"""Bags: models whose rows are bags of instances.

Start with bag_model.py (the common base), then bag_summaries.py (a model of summaries) and bag_votes.py (instances
that vote).
"""
