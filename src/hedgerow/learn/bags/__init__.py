"""Bags: learners for rows that each contain several instances.

Start with bag_learner.py (the common base class), then bag_summary.py and bag_vote.py.
"""
