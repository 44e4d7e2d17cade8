"""Bags: learners of rows that each hold several instances.

Start with bag_learner.py (what they share), then bag_summary.py and bag_vote.py.
"""
